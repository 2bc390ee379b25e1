use super::{ListOptions, ResourceVersionMatch};

impl ListOptions {
    /// The watch that brings the same data as a list with these options, as initial events; none when a watch cannot
    /// bring it (client-go: `util/watchlist/watch_list.go`).
    ///
    /// A limit counts only against storage: beside resourceVersion `0` the server ignores it, and so the watch may too.
    ///
    /// ```
    /// use watchglass::api::ListOptions;
    ///
    /// let list = ListOptions { resource_version: "0".into(), limit: Some(500), ..ListOptions::default() };
    /// let watch = list.to_watch_list().expect("a limit beside 0 is ignored");
    /// assert_eq!((watch.send_initial_events, watch.limit), (Some(true), None));
    /// assert_eq!(ListOptions { r#continue: "token".into(), ..list }.to_watch_list(), None);
    /// ```
    #[doc(alias = "PrepareWatchListOptionsFromListOptions")]
    pub fn to_watch_list(&self) -> Option<Self> {
        let limited = self.limit.is_some_and(|limit| limit > 0) && self.resource_version != "0";
        let unanswerable = match self.resource_version_match {
            None => false,
            // The server refuses a match without a version.
            Some(ResourceVersionMatch::NotOlderThan) => self.resource_version.is_empty(),
            Some(ResourceVersionMatch::Exact) => true,
        };
        if limited || unanswerable || !self.r#continue.is_empty() || self.send_initial_events.is_some() {
            return None;
        }
        Some(Self {
            watch: true,
            allow_watch_bookmarks: true,
            send_initial_events: Some(true),
            resource_version_match: Some(ResourceVersionMatch::NotOlderThan),
            limit: None,
            ..self.clone()
        })
    }
}
