use crate::api::Error;

/// What a person can do about a request that failed.
pub fn advice(error: &Error) -> &'static str {
    match error {
        Error::Unreachable { .. } => {
            "Nothing answered. See whether kubectl proxy, or what else serves this page, still runs"
        }
        Error::Upstream { .. } => {
            "The proxy answers, but does not reach the API server. \
             See whether the cluster runs and your credentials are valid"
        }
        Error::Undecodable { .. } => {
            "Something else answered than an API server. \
             Serve this page with kubectl proxy, or name the server's address with ?api="
        }
        Error::Status(status) if status.is_unauthorized() => {
            "The server does not know you. Renew the credentials that the proxy uses, then try again"
        }
        Error::Status(status) if status.is_forbidden() => {
            "Ask for a role that allows to list and watch; kubectl auth can-i --list shows what yours does"
        }
        Error::Status(_) => "The API server refused, and says why. It is asked again",
        Error::NotSent { .. } => "Nothing was sent. The request, or how this page reaches the server, has to change",
        Error::Interrupted { .. } | Error::Silent { .. } => "The answer broke off. It is asked for again",
    }
}
