use jiff::Timestamp;

use crate::api::Object;

/// What is known of the object of a name while somebody looks at it: it may be deleted meanwhile, and come again.
#[derive(Clone, Debug, Default)]
pub struct Life {
    object: Option<Object>,
    deleted_at: Option<Timestamp>,
    recreated_at: Option<Timestamp>,
}

impl Life {
    /// Takes over what the store holds under the name now; tells whether that is anything new.
    pub fn see(&mut self, object: Option<Object>, now: Timestamp) -> bool {
        match (object, &self.object) {
            (None, None) => false,
            (None, Some(_)) => {
                let is_news = self.deleted_at.is_none();
                self.deleted_at.get_or_insert(now);
                is_news
            }
            (Some(new), Some(old)) if self.deleted_at.is_none() && Object::ptr_eq(&new, old) => false,
            (Some(new), old) => {
                let is_other = old.as_ref().is_some_and(|old| old.uid() != new.uid());
                if is_other {
                    self.recreated_at = Some(now);
                }
                self.deleted_at = None;
                self.object = Some(new);
                true
            }
        }
    }

    /// Its newest state, or the last one before it was deleted; none before it was found.
    pub const fn object(&self) -> Option<&Object> {
        self.object.as_ref()
    }

    /// When it was seen to be gone.
    pub const fn deleted_at(&self) -> Option<Timestamp> {
        self.deleted_at
    }

    /// When another one of the same name was seen in its place.
    pub const fn recreated_at(&self) -> Option<Timestamp> {
        self.recreated_at
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(uid: &str, version: &str) -> Object {
        serde_json::from_value(json!({"metadata": {"name": "x", "uid": uid, "resourceVersion": version}})).unwrap()
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn nothing_is_known_before_it_is_found() {
        let mut life = Life::default();
        assert!(!life.see(None, at(1)));
        assert!(life.object().is_none() && life.deleted_at().is_none());
    }

    #[test]
    fn a_deleted_object_keeps_its_last_state_and_its_time() {
        let mut life = Life::default();
        assert!(life.see(Some(object("a", "1")), at(1)));
        assert!(life.see(Some(object("a", "2")), at(2)));
        assert!(life.see(None, at(3)));
        assert!(!life.see(None, at(4)));
        assert_eq!(life.object().map(Object::resource_version), Some("2"));
        assert_eq!(life.deleted_at(), Some(at(3)));
    }

    #[test]
    fn another_object_of_the_same_name_takes_its_place() {
        let mut life = Life::default();
        life.see(Some(object("a", "1")), at(1));
        life.see(None, at(2));
        assert!(life.see(Some(object("b", "5")), at(3)));
        assert_eq!((life.deleted_at(), life.recreated_at()), (None, Some(at(3))));
        // Deleted and created between two looks.
        assert!(life.see(Some(object("c", "9")), at(4)));
        assert_eq!(life.recreated_at(), Some(at(4)));
    }

    #[test]
    fn the_same_object_once_more_is_no_news() {
        let mut life = Life::default();
        let same = object("a", "1");
        assert!(life.see(Some(same.clone()), at(1)));
        assert!(!life.see(Some(same.clone()), at(2)));
        life.see(None, at(3));
        assert!(life.see(Some(same), at(4)));
        assert_eq!((life.deleted_at(), life.recreated_at()), (None, None));
    }
}
