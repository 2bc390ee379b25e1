use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Object;
use super::base::Base;
use super::differ::push_changes;
use super::families::{Families, Keys};
use super::guided::{Astray, Guided, Scratch};
use super::tree::TypeMeta;

/// Reads objects so that each holds only what tells it from another one like it.
#[derive(Debug, Default)]
pub(crate) struct ObjectPool {
    scratch: Scratch,
    families: Families,
    /// Of which family the last object of a kind was: the next one is often of the same.
    latest: FxHashMap<u64, Keys>,
}

impl ObjectPool {
    /// Reads one object from its JSON.
    pub(crate) fn read(&mut self, json: &[u8], type_meta: TypeMeta<'_>) -> Result<Object, serde_json::Error> {
        if let Some((object, length)) = self.read_first(json, type_meta)
            && length == json.len()
        {
            return Ok(object);
        }
        self.read_tree(json, type_meta)?;
        let keys = Keys::of(&self.scratch.tree);
        let Some((from, base)) = self.families.base(&keys) else { return Ok(self.new_base(keys.kind, keys)) };
        push_changes(&mut self.scratch.writer, &self.scratch.tree, &base);
        let changes = self.scratch.writer.finish();
        if let Some(key) = self.families.worth_another(&keys, from, &base, changes.len()) {
            return Ok(self.new_base(key, keys));
        }
        let object = Object::new(Some(base), changes);
        self.latest.insert(keys.kind, keys);
        Ok(object)
    }

    /// Reads the object that the text begins with, without looking for its end before, and gives its length in bytes.
    /// None where it is unlike those before it, or not whole: [`read`](Self::read) says whether it is right.
    pub(crate) fn read_first(&mut self, json: &[u8], type_meta: TypeMeta<'_>) -> Option<(Object, usize)> {
        let is_told = !type_meta.kind.is_empty();
        let kind = Keys::kind(if is_told { type_meta } else { TypeMeta::written_in(json)? });
        let followed = match self.follow(kind, json, type_meta) {
            Err(Astray::Family(owner)) => {
                self.latest.insert(kind, Keys::new(kind, owner));
                self.follow(kind, json, type_meta)
            }
            followed => followed,
        };
        let (Followed { length, from, base }, keys) = (followed.ok()?, self.latest.get(&kind)?);
        let changes = self.scratch.writer.finish();
        let Some(key) = self.families.worth_another(keys, from, &base, changes.len()) else {
            return Some((Object::new(Some(base), changes), length));
        };
        let keys = keys.clone();
        self.read_tree(&json[..length], type_meta).ok()?;
        Some((self.new_base(key, keys), length))
    }

    /// Reads along the base of the kind's last object.
    fn follow(&mut self, kind: u64, json: &[u8], type_meta: TypeMeta<'_>) -> Result<Followed, Astray> {
        let keys = self.latest.get(&kind).ok_or(Astray::Unlike)?;
        let (from, base) = self.families.base(keys).ok_or(Astray::Unlike)?;
        let length = Guided::new(&base, &keys.owner, &mut self.scratch, json).read(type_meta)?;
        Ok(Followed { length, from, base })
    }

    fn read_tree(&mut self, json: &[u8], type_meta: TypeMeta<'_>) -> Result<(), serde_json::Error> {
        self.scratch.tree.read_json(json, type_meta)?;
        match self.scratch.tree.contradicts_its_type_meta() {
            true => self.scratch.tree.read_json(json, TypeMeta::default()),
            false => Ok(()),
        }
    }

    fn new_base(&mut self, key: u64, keys: Keys) -> Object {
        let like = self.families.base_of(keys.kind);
        self.latest.insert(keys.kind, keys);
        let Some(base) = Base::of(&self.scratch.tree, like.as_deref()).map(Arc::new) else {
            return Object::described_by(None, &self.scratch.tree);
        };
        self.families.adopt(key, &base);
        Object::new(Some(base), &[])
    }
}

/// An object whose text was read along a base, and differs from it as the writer says.
struct Followed {
    length: usize,
    /// Whose base it is.
    from: u64,
    base: Arc<Base>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const POD: &str = concat!(
        r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-a","generateName":"web-","namespace":"shop","#,
        r#""uid":"0b7b1c9e-4c0d-4f7c-8f0e-000000000000","resourceVersion":"12","generation":2,"#,
        r#""creationTimestamp":"2026-11-29T10:00:00Z","labels":{"app":"web","tier":"a\\b"},"annotations":{"q":"\"é\n"},"#,
        r#""ownerReferences":[{"kind":"ReplicaSet","uid":"1","controller":true}],"#,
        r#""managedFields":[{"manager":"kubelet","time":"2026-11-29T10:00:01Z"},"#,
        r#"{"manager":"me","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{"k:{\"b\"}":{}}}}]},"#,
        r#""spec":{"containers":[{"name":"web","ports":[80,443],"cpu":0.5},{"name":"log"}],"node":null},"#,
        r#""status":{"ready":false,"low":-7,"high":18446744073709551615,"since":"2026-11-29T10:00:00Z"}}"#,
    );

    /// Turns the text into one that is almost as good, or into none.
    fn damage(text: &mut Vec<u8>, at: usize, kind: u8, byte: u8) {
        let at = at % text.len();
        match kind {
            0 => text[at] = byte,
            1 => text.insert(at, byte),
            2 => drop(text.remove(at)),
            3 => text.truncate(at),
            _ => text.extend_from_within(..at),
        }
    }

    fn read(pool: &mut ObjectPool, json: &[u8]) -> Option<Object> {
        pool.read(json, TypeMeta::default()).ok()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn an_object_reads_the_same_whatever_was_read_before_it(
            damages in prop::collection::vec(
                (any::<usize>(), 0..5_u8, prop::sample::select(&br#"0123ab"\{}[],:- .e"#[..])), 1..4),
        ) {
            let mut text = POD.as_bytes().to_vec();
            damages.into_iter().for_each(|(at, kind, byte)| if !text.is_empty() { damage(&mut text, at, kind, byte) });
            let mut pool = ObjectPool::default();
            let first = read(&mut pool, POD.as_bytes());
            prop_assert!(first.is_some());
            prop_assert_eq!(read(&mut pool, &text), read(&mut ObjectPool::default(), &text));
            prop_assert_eq!(read(&mut pool, POD.as_bytes()), first, "and leaves no trace");
        }
    }

    #[test]
    fn an_object_like_the_one_before_it_is_read_along_it_without_looking_for_its_end() {
        let mut pool = ObjectPool::default();
        let _first = read(&mut pool, POD.as_bytes()).unwrap();
        let other = POD.replace("web-a", "web-b").replace(r#""low":-7"#, r#""low":[1],"more":{}"#);
        let (object, length) = pool.read_first(format!("{other},{POD}").as_bytes(), TypeMeta::default()).unwrap();
        assert_eq!((object.name(), length), ("web-b", other.len()));
        assert_eq!(Some(object), read(&mut ObjectPool::default(), other.as_bytes()));
        for unlike in [&other[..other.len() - 1], &other.replace(':', ": "), r#"{"kind":"Node","apiVersion":"v1"}"#] {
            assert!(pool.read_first(unlike.as_bytes(), TypeMeta::default()).is_none(), "{unlike}");
        }
    }

    #[test]
    fn families_that_take_turns_are_each_read_along_their_own() {
        let mut pool = ObjectPool::default();
        let of = |owner: usize| POD.replace(r#""uid":"1""#, &format!(r#""uid":"{owner}""#));
        let _held: Vec<_> = [1, 2, 1, 2].map(|owner| read(&mut pool, of(owner).as_bytes())).into();
        for owner in [1, 2, 3] {
            let (object, _) = pool.read_first(of(owner).as_bytes(), TypeMeta::default()).unwrap();
            assert_eq!(object.owner_references().next().unwrap().uid, owner.to_string());
        }
    }
}
