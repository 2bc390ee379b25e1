//! What a write means to the server itself: kinds that are defined, services that are registered.

use std::sync::Arc;

use serde_json::{Value, json};

use super::kinds::Kind;
use super::refusal::Refusal;
use super::{ApiServer, crd};
use crate::api::Manifest;

const API_SERVICES: &str = "apiservices.apiregistration.k8s.io";

impl ApiServer {
    /// Checks and completes what is about to be written.
    ///
    /// # Errors
    /// 422 and 501 for definitions and custom resources that are not as they must be.
    pub(super) fn before_write(
        &self,
        kind: &Kind,
        object: &mut Manifest,
        before: Option<&Manifest>,
    ) -> Result<(), Refusal> {
        if kind.is(crd::DEFINITIONS) {
            return crd::admit_definition(object, before);
        }
        if kind.is(API_SERVICES)
            && let Some(service) = object.fields.get_mut("spec").and_then(|spec| spec.get_mut("service"))
            && service.is_object()
            && service["port"].is_null()
        {
            service["port"] = 443.into();
        }
        if kind.custom {
            return crd::admit(kind, object);
        }
        Ok(())
    }

    /// Does what follows from what was written.
    pub(super) fn after_write(&self, kind: &Kind, object: &Arc<Manifest>) {
        if kind.is(crd::DEFINITIONS) {
            self.define(object);
        }
        if kind.is(API_SERVICES) || kind.is("services") {
            self.note_availability();
        }
    }

    /// Notes in each API service whether it can be asked. Nothing runs behind the services here.
    pub(super) fn note_availability(&self) {
        let Some(kind) = self.kind(API_SERVICES) else { return };
        for object in self.objects(API_SERVICES) {
            let text = |name| object.str_at(&["spec", "service", name]).unwrap_or_default();
            let (namespace, name) = (text("namespace"), text("name"));
            let is_local = !object.get(&["spec", "service"]).is_some_and(Value::is_object);
            let (is_available, reason, message) = if is_local {
                ("True", "Local", "Local APIServices are always available".to_owned())
            } else if self.get("services", namespace, name).is_none() {
                ("False", "ServiceNotFound", format!("service/{name} in \"{namespace}\" is not present"))
            } else {
                let none = format!("endpointslices for service/{name} in \"{namespace}\" have no addresses");
                ("False", "MissingEndpoints", format!("{none} with port name \"\""))
            };
            let condition = json!({
                "type": "Available", "status": is_available, "lastTransitionTime": self.wall_seconds(),
                "reason": reason, "message": message,
            });
            let mut changed = Manifest::clone(&object);
            crd::set_condition(&mut changed, condition);
            if changed != *object {
                self.inner.store.borrow_mut().put(&kind, changed);
                self.inner.changed.notify(usize::MAX);
            }
        }
    }
}
