use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Object;
use super::base::Base;
use super::differ::push_changes;
use super::families::{Families, Keys};
use super::guided::{Astray, Guided, Scratch};
use super::template::Templates;
use super::tree::TypeMeta;

/// Reads objects so that each holds only what tells it from another one like it.
#[derive(Debug, Default)]
pub(crate) struct ObjectPool {
    scratch: Scratch,
    families: Families,
    templates: Templates,
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
        let Some((from, base)) = self.families.base(&keys) else {
            return Ok(self.new_base(keys.kind, keys, json, type_meta));
        };
        push_changes(&mut self.scratch.writer, &self.scratch.tree, &base);
        let changes = self.scratch.writer.finish();
        if let Some(key) = self.families.worth_another(&keys, from, &base, changes.len()) {
            return Ok(self.new_base(key, keys, json, type_meta));
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
        let json = &json[..length];
        self.read_tree(json, type_meta).ok()?;
        Some((self.new_base(key, keys, json, type_meta), length))
    }

    /// Reads along the base of the kind's last object, beside its text where it is known.
    fn follow(&mut self, kind: u64, json: &[u8], type_meta: TypeMeta<'_>) -> Result<Followed, Astray> {
        let keys = self.latest.get(&kind).ok_or(Astray::Unlike)?;
        let (from, base) = self.families.base(keys).ok_or(Astray::Unlike)?;
        let (owner, scratch) = (&keys.owner, &mut self.scratch);
        let template = self.templates.of(&base);
        let length = match template.map(|template| Guided::new(&base, owner, scratch, json).read_beside(template)) {
            None | Some(Err(Astray::Unlike)) => Guided::new(&base, owner, scratch, json).read(type_meta)?,
            Some(read) => read?,
        };
        Ok(Followed { length, from, base })
    }

    fn read_tree(&mut self, json: &[u8], type_meta: TypeMeta<'_>) -> Result<(), serde_json::Error> {
        self.scratch.tree.read_json(json, type_meta)?;
        match self.scratch.tree.contradicts_its_type_meta() {
            true => self.scratch.tree.read_json(json, TypeMeta::default()),
            false => Ok(()),
        }
    }

    /// The object in the tree as a base, whose text this is.
    fn new_base(&mut self, key: u64, keys: Keys, json: &[u8], type_meta: TypeMeta<'_>) -> Object {
        let like = self.families.base_of(keys.kind);
        let latest = self.latest.entry(keys.kind).insert_entry(keys).into_mut();
        let Some(base) = Base::of(&self.scratch.tree, like.as_deref()).map(Arc::new) else {
            return Object::described_by(None, &self.scratch.tree);
        };
        self.families.adopt(key, &base);
        if let Ok(values) = Guided::new(&base, &latest.owner, &mut self.scratch, json).values(type_meta) {
            self.templates.take(&base, json, values);
        }
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
    use serde_json::Value;

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

    /// The places of all that a value holds.
    fn places(value: &Value, at: &str) -> Vec<String> {
        let held: Vec<(String, &Value)> = match value {
            Value::Object(fields) => fields.iter().map(|(key, value)| (key.replace('/', "~1"), value)).collect(),
            Value::Array(items) => items.iter().enumerate().map(|(nth, value)| (nth.to_string(), value)).collect(),
            _ => Vec::new(),
        };
        let all = held.into_iter().flat_map(|(key, value)| {
            let place = format!("{at}/{key}");
            let mut below = places(value, &place);
            below.push(place);
            below
        });
        all.collect()
    }

    /// Leaves a value out, puts another one beside it, or in its place.
    fn rebuild(object: &mut Value, at: usize, edit: u8, new: &Value) {
        let all = places(object, "");
        let place = &all[at % all.len()];
        let (holder, key) = place.rsplit_once('/').unwrap();
        match (edit, object.pointer_mut(holder).unwrap()) {
            (0, Value::Object(fields)) => drop(fields.remove(key)),
            (0, Value::Array(items)) => drop(items.remove(key.parse().unwrap())),
            (1, Value::Object(fields)) => drop(fields.insert(format!("{key}s"), new.clone())),
            (1, Value::Array(items)) => items.push(new.clone()),
            _ => *object.pointer_mut(place).unwrap() = new.clone(),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn an_object_of_other_fields_reads_the_same_whatever_was_read_before_it(
            edits in prop::collection::vec((any::<usize>(), 0..3_u8, 0..NEW.len()), 1..6),
        ) {
            let mut object: Value = serde_json::from_str(POD).unwrap();
            let first = object.to_string();
            edits.into_iter().for_each(|(at, edit, new)| {
                rebuild(&mut object, at, edit, &serde_json::from_str(NEW[new]).unwrap());
            });
            let text = object.to_string();
            let mut pool = ObjectPool::default();
            let before = read(&mut pool, first.as_bytes());
            prop_assert_eq!(read(&mut pool, text.as_bytes()), read(&mut ObjectPool::default(), text.as_bytes()));
            prop_assert_eq!(read(&mut pool, first.as_bytes()), before, "and leaves no trace");
        }
    }

    const NEW: [&str; 7] =
        [r#""web-b""#, "8", "80.5", "null", "{}", r#"[1,{"a":"\"b"}]"#, r#"{"name":"c","k:{\"b\"}":{}}"#];

    #[test]
    fn what_is_not_the_same_does_not_end_reading_beside_the_text_of_the_base() {
        let mut pool = ObjectPool::default();
        let _first = read(&mut pool, POD.as_bytes()).unwrap();
        for (old, new) in [
            (r#""name":"web-a""#, r#""name":"web-b-2""#),
            ("443]", "4430,8080]"),
            ("[80,443]", "[]"),
            (r#","cpu":0.5}"#, "}"),
            (r#"{"name":"log"}"#, r#"{"name":"log","cpu":1,"env":[]},{"name":"more"}"#),
            (r#""ready":false,"#, r#""phase":"Running","ready":true,"#),
            (r#""tier":"a\\b""#, r#""tier":"b","zone":"a""#),
            (r#"{"f:a":{"k:{\"b\"}":{}}}"#, r#"{"f:a":{"k:{\"c\"}":{}},"f:b":{}}"#),
            (r#""fieldsV1":{"#, r#""fieldsV1":{".":{},"#),
            (r#"{"manager":"me""#, r#"{"manager":"you","operation":"Apply"},{"manager":"me""#),
        ] {
            let text = POD.replace(old, new);
            assert_ne!(text, POD, "{old}");
            let kind = Keys::kind(TypeMeta { api_version: "v1", kind: "Pod" });
            let (_, base) = pool.families.base(&pool.latest[&kind]).unwrap();
            let template = pool.templates.of(&base).unwrap();
            let guided = Guided::new(&base, "1", &mut pool.scratch, text.as_bytes());
            assert_eq!(guided.read_beside(template), Ok(text.len()), "{new}");
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
