use super::kinds::Kind;
use super::refusal::{self, Refusal};
use super::selectors::{self, FieldSelector};
use crate::api::{LabelSelector, Manifest, ResourceVersionMatch};

/// A query as it was sent, decoded.
#[derive(Clone, Debug, Default)]
pub(super) struct Query {
    pairs: Vec<(String, String)>,
}

impl Query {
    /// From the text behind the `?`.
    pub(super) fn parse(text: &str) -> Self {
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (percent_decode(&name.replace('+', " ")), percent_decode(&value.replace('+', " ")))
        };
        Self { pairs: text.split('&').filter(|part| !part.is_empty()).map(pair).collect() }
    }

    /// The first value; empty when it is absent.
    pub(super) fn text(&self, name: &str) -> &str {
        self.pairs.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// Go's rule: `false` and `0` are false, everything else that is there is true.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        let (_, value) = self.pairs.iter().find(|(known, _)| known == name)?;
        Some(!value.eq_ignore_ascii_case("false") && value != "0")
    }

    /// All values.
    pub(super) fn all(&self, name: &str) -> Vec<&str> {
        self.pairs.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect()
    }

    /// # Errors
    /// 400 for what is no number.
    pub(super) fn integer(&self, name: &str) -> Result<Option<i64>, Refusal> {
        let text = self.text(name);
        let invalid = |_| refusal::plain(400, format!("strconv.ParseInt: parsing \"{text}\": invalid syntax"));
        if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(invalid) }
    }

    fn number(&self, name: &str) -> Result<Option<u32>, Refusal> {
        let text = self.text(name);
        if text.is_empty() {
            return Ok(None);
        }
        let invalid = |_| refusal::plain(400, format!("strconv.ParseInt: parsing \"{text}\": invalid syntax"));
        text.parse().map(Some).map_err(invalid)
    }
}

/// Undoes percent-encoding; what is not valid UTF-8 afterwards becomes U+FFFD.
pub(super) fn percent_decode(text: &str) -> String {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let escaped = tail.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match escaped.filter(|_| first == b'%') {
            Some(byte) => {
                decoded.push(byte);
                rest = &tail[2..];
            }
            None => {
                decoded.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// Which objects of a kind are asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection {
    pub(super) namespace: Option<String>,
    labels: LabelSelector,
    fields: FieldSelector,
    /// Neither a label nor a field selector.
    pub(super) is_everything: bool,
}

impl Selection {
    pub(super) fn matches(&self, object: &Manifest) -> bool {
        self.namespace.as_deref().is_none_or(|namespace| object.namespace() == namespace)
            && self.labels.matches(&object.metadata.labels)
            && self.fields.matches(object)
    }
}

/// The checked options of a list or a watch.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    pub(super) selection: Selection,
    /// None when it is not given; `Some(0)` means whatever is at hand.
    pub(super) resource_version: Option<u64>,
    pub(super) version_match: Option<ResourceVersionMatch>,
    /// 0 is no limit.
    pub(super) limit: usize,
    pub(super) r#continue: String,
    pub(super) allow_bookmarks: bool,
    pub(super) timeout_seconds: Option<u32>,
    /// Whether a watch is to begin with what is there, and to mark the end of that.
    pub(super) send_initial_events: Option<bool>,
}

impl Options {
    /// # Errors
    /// 400 and 422 where the real server says so (apimachinery:
    /// `pkg/apis/meta/internalversion/validation/validation.go`).
    pub(super) fn read(
        query: &Query,
        kind: &Kind,
        version: &str,
        namespace: Option<&str>,
        watch: bool,
        has_watch_list: bool,
    ) -> Result<Self, Refusal> {
        if watch {
            check_watch_list(query, has_watch_list)?;
        } else {
            check_version_match(query)?;
        }
        let resource_version = query.text("resourceVersion");
        let paged = !query.text("limit").is_empty() || !query.text("continue").is_empty();
        if watch && paged {
            return Err(refusal::plain(400, "limit and continue are not supported with watch"));
        }
        if !query.text("continue").is_empty() && !["", "0"].contains(&resource_version) {
            let message = "specifying resource version is not allowed when using continue";
            return Err(refusal::plain(400, message));
        }
        Ok(Self {
            selection: read_selection(query, kind, version, namespace)?,
            resource_version: read_resource_version(resource_version).map_err(|refusal| match watch {
                // The real server's watch has not thought of it.
                true => refusal::unreasoned(refusal.message.trim_start_matches("invalid resource version: ")),
                false => refusal,
            })?,
            version_match: match query.text("resourceVersionMatch") {
                "Exact" => Some(ResourceVersionMatch::Exact),
                "NotOlderThan" => Some(ResourceVersionMatch::NotOlderThan),
                _ => None,
            },
            limit: query.number("limit")?.map_or(0, |limit| limit as usize),
            r#continue: query.text("continue").into(),
            allow_bookmarks: query.flag("allowWatchBookmarks").unwrap_or(false),
            timeout_seconds: query.number("timeoutSeconds")?.filter(|seconds| *seconds > 0),
            send_initial_events: query.flag(INITIAL_EVENTS),
        })
    }
}

pub(super) fn read_resource_version(text: &str) -> Result<Option<u64>, Refusal> {
    if text.is_empty() {
        return Ok(None);
    }
    let why = format!("strconv.ParseUint: parsing \"{text}\": invalid syntax");
    let invalid =
        |_| refusal::plain(400, format!("invalid resource version: resourceVersion: Invalid value: \"{text}\": {why}"));
    text.parse().map(Some).map_err(invalid)
}

const VERSION_MATCH: &str = "resourceVersionMatch";
const INITIAL_EVENTS: &str = "sendInitialEvents";

fn check_watch_list(query: &Query, has_watch_list: bool) -> Result<(), Refusal> {
    let matching = query.text(VERSION_MATCH);
    let forbid = |field: &str, why: &str| Err(refusal::forbidden_list_option(field, why));
    match (query.flag(INITIAL_EVENTS), matching) {
        (None, "") => Ok(()),
        (None, _) => {
            forbid(VERSION_MATCH, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")
        }
        (Some(_), _) if !has_watch_list => forbid(
            INITIAL_EVENTS,
            "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
        ),
        (Some(_), "NotOlderThan") => Ok(()),
        (Some(_), _) => {
            forbid(VERSION_MATCH, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
        }
    }
}

fn check_version_match(query: &Query) -> Result<(), Refusal> {
    const FIELD: &str = VERSION_MATCH;
    let (matching, resource_version) = (query.text(FIELD), query.text("resourceVersion"));
    let forbid = |why: &str| Err(refusal::forbidden_list_option(FIELD, why));
    if query.flag(INITIAL_EVENTS).is_some() {
        return Err(refusal::forbidden_list_option(INITIAL_EVENTS, "sendInitialEvents is forbidden for list"));
    }
    if matching.is_empty() {
        return Ok(());
    }
    if resource_version.is_empty() {
        return forbid("resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if !query.text("continue").is_empty() {
        return forbid("resourceVersionMatch is forbidden when continue is provided");
    }
    if !["Exact", "NotOlderThan"].contains(&matching) {
        let message = format!("Unsupported value: \"{matching}\": supported values: \"Exact\", \"NotOlderThan\", \"\"");
        return Err(refusal::invalid_list_option("FieldValueNotSupported", FIELD, message));
    }
    if matching == "Exact" && resource_version == "0" {
        return forbid("resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
    Ok(())
}

fn read_selection(query: &Query, kind: &Kind, version: &str, namespace: Option<&str>) -> Result<Selection, Refusal> {
    let bad = |message: String| refusal::plain(400, message);
    let (labels, fields) = (query.text("labelSelector"), query.text("fieldSelector"));
    selectors::check_labels(labels).map_err(bad)?;
    let field_selector = FieldSelector::parse(fields).map_err(bad)?;
    let offered = kind.version(version).map_or(&[][..], |version| &version.fields);
    let known = |path: &str| {
        ["metadata.name", "metadata.namespace"].contains(&path) || offered.iter().any(|field| field == path)
    };
    if let Some(path) = field_selector.paths().find(|path| !known(path)) {
        return Err(bad(if offered.is_empty() && !kind.custom {
            format!("\"{path}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"")
        } else {
            format!("field label not supported: {path}")
        }));
    }
    Ok(Selection {
        namespace: namespace.map(str::to_owned),
        labels: labels.parse().map_err(|error| bad(format!("{error}")))?,
        fields: field_selector,
        is_everything: labels.is_empty() && fields.is_empty(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::percent_encode;

    #[test]
    fn a_query_is_decoded_as_it_was_encoded() {
        let selector = "app in (a, ü),b!=100%";
        let query = Query::parse(&format!("watch&labelSelector={}&limit=5", percent_encode(selector)));
        assert_eq!(query.text("labelSelector"), selector);
        assert_eq!(query.number("limit").unwrap(), Some(5));
        assert_eq!((query.flag("watch"), query.flag("pretty")), (Some(true), None));
        assert_eq!(Query::parse("a=%4&b=1+2%").text("b"), "1 2%");
    }
}
