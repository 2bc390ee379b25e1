//! Of two objects that say the same one is held, whoever lists them.

use futures::FutureExt as _;
use futures::future::LocalBoxFuture;
use watchglass::api::{Error, ListOptions, Manifest, Object, WatchEvent};
use watchglass::cache::{
    ListProgress, ListResult, ListerWatcher, ResourceEventHandlerFuncs, SharedObjects, WatchStream,
};

use super::*;

/// A server whose lists bring new objects each time, as over a wire.
struct OverTheWire(FakeSource);

fn copy(object: &Object) -> Object {
    Object::from(object.to_manifest().expect("it is an object"))
}

impl ListerWatcher for OverTheWire {
    fn list(
        &self,
        options: ListOptions,
        progress: Rc<dyn Fn(ListProgress)>,
    ) -> LocalBoxFuture<'static, Result<ListResult, Error>> {
        let result = self.0.list(options, progress);
        async move {
            let mut result = result.await?;
            result.list.items.iter_mut().for_each(|item| *item = copy(item));
            Ok(result)
        }
        .boxed_local()
    }

    fn watch(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<WatchStream, Error>> {
        self.0.watch(options)
    }
}

type Updates = Rc<RefCell<Vec<(Object, Object)>>>;

/// A running informer, and the updates that its handler is told of.
fn running(source: &FakeSource, options: InformerOptions) -> (Fixture, Updates, Registration) {
    let (sandbox, source) = (Sandbox::new(), source.clone());
    let over_the_wire = Rc::new(OverTheWire(source.clone()));
    let informer = SharedInformer::with_options(sandbox.runtime(), over_the_wire, options);
    let updates = Updates::default();
    let told = Rc::clone(&updates);
    let handler = ResourceEventHandlerFuncs::new()
        .on_update(move |old: &Object, new: &Object| told.borrow_mut().push((old.clone(), new.clone())));
    let registration = informer.add_event_handler(Rc::new(handler)).expect("it has not stopped");
    let stop = Rc::new(RefCell::new(StopSource::new()));
    let fixture = Fixture { sandbox, source, informer, stop, task: Cell::new(None) };
    fixture.run();
    (fixture, updates, registration)
}

impl Fixture {
    fn held(&self, name: &str) -> Object {
        self.informer.indexer().get_by_key(&format!("ns/{name}")).expect("it is there")
    }
}

/// The one update of the object.
fn update_of(updates: &Updates, name: &str) -> (Object, Object) {
    let of_it: Vec<_> = updates.borrow().iter().filter(|(_, new)| new.name() == name).cloned().collect();
    let [update]: [_; 1] = of_it.try_into().expect("it was told of once");
    update
}

fn source_of(names: &[&str]) -> FakeSource {
    let source = FakeSource::default();
    names.iter().for_each(|name| drop(source.put(pod(name))));
    source
}

#[test]
fn a_list_that_brings_what_is_known_leaves_the_objects_that_are_held_and_tells_of_them() {
    let source = source_of(&["a", "b", "c"]);
    let (it, updates, _registration) = running(&source, InformerOptions::default());
    let (a, b) = (it.held("a"), it.held("b"));
    it.relist_after(|source| drop(source.put_unseen(pod("b"))));
    assert!(Object::ptr_eq(&a, &it.held("a")));
    assert!(!Object::ptr_eq(&b, &it.held("b")), "it has another version");
    let (old, new) = update_of(&updates, "a");
    assert!(Object::ptr_eq(&old, &a) && Object::ptr_eq(&new, &a), "it is told of as a repetition");
    let (old, new) = update_of(&updates, "b");
    assert!(Object::ptr_eq(&old, &b) && Object::ptr_eq(&new, &it.held("b")));
}

#[test]
fn an_event_that_brings_what_is_known_leaves_the_object_that_is_held() {
    let source = source_of(&["a"]);
    let (it, updates, _registration) = running(&source, InformerOptions::default());
    let a = it.held("a");
    source.send(WatchEvent::Modified(copy(&a)));
    it.sandbox.run_until_idle();
    assert!(Object::ptr_eq(&a, &it.held("a")));
    let (old, new) = update_of(&updates, "a");
    assert!(Object::ptr_eq(&old, &a) && Object::ptr_eq(&new, &a));
}

/// A version says nothing of an object that a server of another kind, or a transformation, has made something else of.
#[test]
fn an_object_of_the_same_version_that_says_something_else_is_taken() {
    let source = source_of(&["a"]);
    let (it, _, _registration) = running(&source, InformerOptions::default());
    let mut changed: Manifest = it.held("a").to_manifest().expect("it is an object");
    changed.metadata.uid = "another".into();
    source.send(WatchEvent::Modified(changed.into()));
    it.sandbox.run_until_idle();
    assert_eq!(it.held("a").uid(), "another");
}

#[test]
fn informers_that_share_objects_hold_one_of_two_and_others_their_own() {
    let source = source_of(&["a", "b"]);
    let shared = SharedObjects::default();
    let options = || InformerOptions { shared_objects: Some(shared.clone()), ..InformerOptions::default() };
    let (one, _, _one) = running(&source, options());
    let (other, _, _other) = running(&source, options());
    let (alone, _, _alone) = running(&source, InformerOptions::default());
    let mut of_pods = options();
    of_pods.reflector.description = "pods.example".into();
    let (of_another_resource, _, _of_another) = running(&source, of_pods);
    for name in ["a", "b"] {
        assert!(Object::ptr_eq(&one.held(name), &other.held(name)), "{name}");
        assert!(!Object::ptr_eq(&one.held(name), &alone.held(name)), "{name}");
        assert!(!Object::ptr_eq(&one.held(name), &of_another_resource.held(name)), "{name}");
    }
    drop((one, _one));
    assert_eq!(other.held("a").name(), "a");
}
