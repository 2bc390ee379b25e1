use super::query::Query;

/// How exactly a list must meet the resourceVersion asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceVersionMatch {
    Exact,
    NotOlderThan,
}

/// The query of a list or a watch (`metav1.ListOptions`); what is empty is not sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListOptions {
    pub label_selector: String,
    pub field_selector: String,
    pub watch: bool,
    pub allow_watch_bookmarks: bool,
    pub resource_version: String,
    pub resource_version_match: Option<ResourceVersionMatch>,
    pub timeout_seconds: Option<u32>,
    pub limit: Option<u32>,
    pub r#continue: String,
    pub send_initial_events: Option<bool>,
}

impl ListOptions {
    /// The query without its `?`, in the order of the fields.
    pub fn to_query(&self) -> String {
        let resource_version_match = match self.resource_version_match {
            Some(ResourceVersionMatch::Exact) => "Exact",
            Some(ResourceVersionMatch::NotOlderThan) => "NotOlderThan",
            None => "",
        };
        Query::default()
            .text("labelSelector", &self.label_selector)
            .text("fieldSelector", &self.field_selector)
            .flag("watch", self.watch)
            .flag("allowWatchBookmarks", self.allow_watch_bookmarks)
            .text("resourceVersion", &self.resource_version)
            .text("resourceVersionMatch", resource_version_match)
            .number("timeoutSeconds", self.timeout_seconds)
            .number("limit", self.limit)
            .text("continue", &self.r#continue)
            .choice("sendInitialEvents", self.send_initial_events)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_holds_only_what_is_set() {
        assert_eq!(ListOptions::default().to_query(), "");
        let options = ListOptions {
            label_selector: "app=web,tier in (a,b)".into(),
            watch: true,
            resource_version: "7".into(),
            limit: Some(500),
            ..ListOptions::default()
        };
        let query = "labelSelector=app%3Dweb%2Ctier%20in%20%28a%2Cb%29&watch=true&resourceVersion=7&limit=500";
        assert_eq!(options.to_query(), query);
    }
}
