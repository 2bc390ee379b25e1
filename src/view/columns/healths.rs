use super::Health;

/// What the words of all kinds but pods say of an object's health.
pub(super) fn health_of(word: &str) -> Health {
    match word {
        "Active" | "Approved,Issued" | "Available" | "Bound" | "Healthy" | "Normal" | "Ready" | "True" | "true" => {
            Health::Ok
        }
        "Approved" | "Pending" | "Running" | "SuccessCriteriaMet" | "false" | "pending" => Health::Progressing,
        "Ready,SchedulingDisabled" | "Released" | "Warning" => Health::Warning,
        "Complete" | "Suspended" | "Terminating" => Health::Terminated,
        "FailureTarget" | "Lost" | "Unhealthy" => Health::Error,
        _ if word.starts_with("allocated") => Health::Ok,
        _ if word.starts_with("deleted") => Health::Terminated,
        _ if ["Denied", "False", "NotReady"].iter().any(|it| word.starts_with(it)) => Health::Error,
        _ if word.contains("Failed") => Health::Error,
        _ => Health::Unknown,
    }
}
