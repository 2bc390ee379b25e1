use std::cell::RefCell;
use std::time::Duration;

use leptos::prelude::*;

use super::super::until_seen;
use crate::api::{Error, GroupVersionResource, ListOptions, ResourcePath};
use crate::rest::Accept;
use crate::runtime::Task;
use crate::ui::state::Session;
use crate::view::overview::{Certificate, expiry_of_secret};

/// Certificates end in days.
const BETWEEN_LISTS: Duration = Duration::from_mins(10);

/// The certificates of the cluster, as far as they may be read.
#[derive(Clone, Debug, Default)]
pub(super) struct Certificates {
    pub(super) all: Vec<Certificate>,
    /// None before the first answer.
    pub(super) answer: Option<Result<(), Error>>,
}

/// Reads when the certificates end, now and every few minutes, while the page is seen. No key is kept, and no Secret
/// asked for but those that hold a certificate.
pub(super) fn use_certificates(session: Session) -> RwSignal<Certificates> {
    let certificates = RwSignal::new(Certificates::default());
    let reading = session.runtime().spawn(async move {
        let secrets = ResourcePath::all(GroupVersionResource::core("secrets"));
        let client = session.client();
        loop {
            until_seen(session).await;
            let found = RefCell::new(Vec::new());
            let mut options = ListOptions {
                field_selector: "type=kubernetes.io/tls".into(),
                limit: Some(500),
                ..ListOptions::default()
            };
            let answer = loop {
                let mut on_item = |secret| found.borrow_mut().extend(expiry_of_secret(&secret));
                match client.list_items(&secrets, &options, Accept::Object, &mut on_item).await {
                    Ok(head) if head.metadata.r#continue.is_empty() => break Ok(()),
                    Ok(head) => options.r#continue = head.metadata.r#continue,
                    Err(error) => break Err(error),
                }
            };
            certificates.try_set(Certificates { all: found.into_inner(), answer: Some(answer) });
            session.runtime().sleep(BETWEEN_LISTS).await;
        }
    });
    let _reading: StoredValue<Task, LocalStorage> = StoredValue::new_local(reading);
    certificates
}
