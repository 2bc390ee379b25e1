//! Which form of an answer a client wants (apiserver: `endpoints/handlers/negotiation`).

use super::kinds::Kind;
use super::query::Query;
use super::refusal::{self, Refusal};
use super::table::Include;

/// The form in which objects are sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    #[default]
    Whole,
    /// Metadata alone.
    Metadata { is_list: bool, api_version: &'static str },
    /// As `kubectl get` prints them.
    Table { include: Include, api_version: &'static str },
}

/// One of the forms that a client takes.
struct Clause<'a> {
    media: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
}

impl<'a> Clause<'a> {
    fn read(text: &'a str) -> Self {
        let mut parts = text.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default();
        Self { media, parameters: parts.filter_map(|part| part.split_once('=')).collect() }
    }

    fn parameter(&self, name: &str) -> &'a str {
        self.parameters.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }

    /// How much the client wants it, in thousandths.
    fn quality(&self) -> u32 {
        self.parameter("q").parse::<f32>().map_or(1000, |quality| (quality * 1000.0) as u32)
    }

    fn takes_json(&self) -> bool {
        ["application/json", "application/*", "*/*"].contains(&self.media)
    }
}

/// The clauses that take JSON, the most wanted first.
fn clauses(accept: &str) -> Vec<Clause<'_>> {
    let mut clauses: Vec<_> = accept.split(',').map(Clause::read).filter(Clause::takes_json).collect();
    clauses.sort_by_key(|clause| std::cmp::Reverse(clause.quality()));
    clauses
}

pub(super) fn takes_json(accept: &str) -> bool {
    accept.is_empty() || clauses(accept).iter().any(|clause| clause.parameter("as").is_empty())
}

/// Whether the aggregated discovery is asked for before the older documents.
///
/// # Errors
/// 406 when neither is taken.
pub(super) fn wants_aggregated_discovery(accept: &str) -> Result<bool, Refusal> {
    if accept.is_empty() {
        return Ok(false);
    }
    for clause in clauses(accept) {
        let [form, group, version] = ["as", "g", "v"].map(|name| clause.parameter(name));
        match form {
            "" => return Ok(false),
            "APIGroupDiscoveryList" if group == "apidiscovery.k8s.io" && version == "v2" => return Ok(true),
            _ => {}
        }
    }
    Err(not_acceptable())
}

impl Form {
    /// # Errors
    /// 406 when nothing that is offered is taken, 400 for a table's option that makes no sense.
    pub(super) fn read(accept: &str, query: &Query) -> Result<Self, Refusal> {
        if accept.is_empty() {
            return Ok(Self::Whole);
        }
        for clause in clauses(accept) {
            let api_version = match (clause.parameter("g"), clause.parameter("v")) {
                ("meta.k8s.io", "v1") => "meta.k8s.io/v1",
                ("meta.k8s.io", "v1beta1") => "meta.k8s.io/v1beta1",
                _ => "",
            };
            return Ok(match clause.parameter("as") {
                "" => Self::Whole,
                _ if api_version.is_empty() => continue,
                "Table" => Self::Table { include: read_include(query)?, api_version },
                "PartialObjectMetadata" => Self::Metadata { is_list: false, api_version },
                "PartialObjectMetadataList" => Self::Metadata { is_list: true, api_version },
                _ => continue,
            });
        }
        Err(not_acceptable())
    }

    /// # Errors
    /// 406 when the metadata of a list is asked for and there is one object, or the other way round; and for a table
    /// of a kind that has none here.
    pub(super) fn check(&self, kind: &Kind, version: &str, of_list: bool) -> Result<(), Refusal> {
        match self {
            Self::Metadata { is_list, .. } if *is_list != of_list => {
                let package = match (kind.custom, kind.group.split('.').next()) {
                    (true, _) => "unstructured",
                    (false, None | Some("")) => "core",
                    (false, Some(group)) => group,
                };
                let name = if kind.custom { "Unstructured" } else { &kind.kind };
                let message = if of_list {
                    format!(
                        "requested PartialObjectMetadata, but the requested object is a list (*{package}.{name}List)"
                    )
                } else {
                    format!(
                        "requested PartialObjectMetadataList, but the requested object is not a list (*{package}.{name})"
                    )
                };
                Err(refusal::plain(406, format!("you {message}")))
            }
            Self::Table { .. } if super::table::Printer::of(kind, version).is_none() => {
                let what = &kind.qualified;
                let message = format!("the in-memory API server does not print {what} as a Table; ask for plain JSON");
                Err(refusal::plain(406, message))
            }
            _ => Ok(()),
        }
    }
}

fn read_include(query: &Query) -> Result<Include, Refusal> {
    match query.text("includeObject") {
        "" | "Metadata" => Ok(Include::Metadata),
        "Object" => Ok(Include::Object),
        "None" => Ok(Include::Nothing),
        other => {
            let why = "must be 'Metadata', 'Object', 'None', or empty";
            let message =
                format!("Unable to convert to Table as requested: includeObject: Invalid value: \"{other}\": {why}");
            Err(refusal::plain(400, message))
        }
    }
}

pub(super) fn not_acceptable() -> Refusal {
    refusal::plain(406, "only the following media types are accepted: application/json")
}
