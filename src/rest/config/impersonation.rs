use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Whom to act as; the person behind the credentials must be allowed to (client-go: `rest.ImpersonationConfig`).
#[doc(alias = "ImpersonationConfig")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Impersonation {
    pub user: String,
    /// Tells apart users of the same name.
    pub uid: String,
    pub groups: Vec<String>,
    /// What authorizers may want to know besides.
    pub extra: BTreeMap<String, Vec<String>>,
}

/// There is a uid, a group or an extra field to act with, but nobody to act as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("to act with a uid, groups or extra fields, name the user to act as too")]
pub struct MissingUser;

impl Impersonation {
    /// None when there is nothing to impersonate.
    pub(super) fn headers(&self) -> Result<Vec<(Cow<'static, str>, String)>, MissingUser> {
        let Self { user, uid, groups, extra } = self;
        if user.is_empty() {
            let is_empty = uid.is_empty() && groups.is_empty() && extra.is_empty();
            return if is_empty { Ok(Vec::new()) } else { Err(MissingUser) };
        }
        let mut headers = vec![(Cow::Borrowed("impersonate-user"), user.clone())];
        if !uid.is_empty() {
            headers.push(("impersonate-uid".into(), uid.clone()));
        }
        headers.extend(groups.iter().map(|group| ("impersonate-group".into(), group.clone())));
        for (key, values) in extra {
            let name = format!("impersonate-extra-{}", escape_key(key));
            headers.extend(values.iter().map(|value| (name.clone().into(), value.clone())));
        }
        Ok(headers)
    }
}

/// What cannot stand in a header's name is percent-encoded, and so is `%` (client-go: `headerKeyEscape`). The server
/// reads names in lower case.
fn escape_key(key: &str) -> String {
    let mut escaped = String::new();
    for byte in key.bytes() {
        match byte {
            b'!' | b'#' | b'$' | b'&' | b'\'' | b'*' | b'+' | b'-' | b'.' | b'^' | b'_' | b'`' | b'|' | b'~' => {
                escaped.push(byte.into());
            }
            _ if byte.is_ascii_alphanumeric() => escaped.push(byte.to_ascii_lowercase().into()),
            _ => write!(escaped, "%{byte:02x}").expect("writing to a string cannot fail"),
        }
    }
    escaped
}
