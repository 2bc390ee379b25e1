//! Informers over the clients, as they come from a factory.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::json;
use watchglass::api::{CreateOptions, DeleteOptions, Patch, PatchOptions};
use watchglass::cache::{
    DeletedObject, FactoryOptions, ListerWatcherSource, Phase, ResourceEventHandlerFuncs, SharedInformer,
    SharedInformerFactory,
};
use watchglass::rest::{DynamicClient, MetadataClient};

use super::{Context, Widgets, config_maps};

fn factory(context: &Context, source: Rc<dyn ListerWatcherSource>) -> SharedInformerFactory {
    let options = FactoryOptions { namespace: Some(context.namespace.clone()), ..FactoryOptions::default() };
    SharedInformerFactory::with_options(context.config.runtime.clone(), source, options)
}

/// Names of one letter, in order: a controller puts another ConfigMap into each namespace.
fn letters(informer: &SharedInformer) -> String {
    let mut names: Vec<_> = informer.indexer().list().iter().map(|it| it.name().to_owned()).collect();
    names.retain(|name| name.len() == 1);
    names.sort();
    names.concat()
}

async fn follows(context: Context, source: Rc<dyn ListerWatcherSource>) {
    context.create_config_maps(&["a"]).await;
    let factory = factory(&context, source);
    let maps = factory.for_resource(&config_maps());
    factory.start();
    factory.wait_for_cache_sync().await;
    // The first list may come from a cache that is a moment late.
    context.until(async || letters(&maps.informer) == "a").await;
    context.create_config_maps(&["b"]).await;
    context.until(async || letters(&maps.informer) == "ab").await;
    let patch = Patch::Merge(json!({ "metadata": { "labels": { "tier": "front" } } }));
    context.config_maps().patch("a", &patch, &PatchOptions::default()).await.expect("it is patched");
    let is_labelled = async || {
        let map = maps.lister.by_namespace(&context.namespace).get("a").expect("it is there");
        map.label("tier").is_some()
    };
    context.until(is_labelled).await;
    context.config_maps().delete("b", &DeleteOptions::default()).await.expect("it is deleted");
    context.until(async || letters(&maps.informer) == "a").await;
    factory.shutdown().await;
}

pub async fn follow_over_the_rest_client(context: Context) {
    let source = Rc::new(context.rest());
    follows(context, source).await;
}

pub async fn follow_over_the_dynamic_client(context: Context) {
    let source = Rc::new(DynamicClient::for_config(&context.config));
    follows(context, source).await;
}

pub async fn follow_over_the_metadata_client(context: Context) {
    let source = Rc::new(MetadataClient::for_config(&context.config));
    follows(context, source).await;
}

pub async fn of_metadata_hold_nothing_else(context: Context) {
    let map = super::config_map("a", json!({ "large": "x".repeat(1000) }));
    context.config_maps().create(&map, &CreateOptions::default()).await.expect("it is created");
    let factory = factory(&context, Rc::new(MetadataClient::for_config(&context.config)));
    let informer = factory.informer_for(&config_maps());
    factory.start();
    factory.wait_for_cache_sync().await;
    context.until(async || letters(&informer) == "a").await;
    assert!(informer.indexer().list().iter().all(|it| it.get(&["data"]).is_none()));
}

pub async fn tell_their_handlers_of_each_change(context: Context) {
    let factory = factory(&context, Rc::new(context.rest()));
    let informer = factory.informer_for(&config_maps());
    let told: Rc<RefCell<Vec<String>>> = Rc::default();
    let note = |what: &'static str| {
        let told = told.clone();
        move |name: &str| {
            if name.len() == 1 {
                told.borrow_mut().push(format!("{what} {name}"));
            }
        }
    };
    let (added, updated, deleted) = (note("add"), note("update"), note("delete"));
    let handler = ResourceEventHandlerFuncs::default()
        .on_add(move |object, _| added(object.name()))
        .on_update(move |_, object| updated(object.name()))
        .on_delete(move |object: &DeletedObject| deleted(object.object().map_or("", |it| it.name())));
    let _registration = informer.add_event_handler(Rc::new(handler)).expect("it runs");
    factory.start();
    factory.wait_for_cache_sync().await;
    context.create_config_maps(&["a"]).await;
    let patch = Patch::Merge(json!({ "data": { "key": "value" } }));
    context.config_maps().patch("a", &patch, &PatchOptions::default()).await.expect("it is patched");
    context.config_maps().delete("a", &DeleteOptions::default()).await.expect("it is deleted");
    context.until(async || told.borrow().len() >= 3).await;
    assert_eq!(*told.borrow(), ["add a", "update a", "delete a"]);
}

/// It waits for a definition that comes later, and follows its objects then.
pub async fn wait_for_a_definition(context: Context) {
    let widgets = Widgets::of(&context);
    let factory = factory(&context, Rc::new(DynamicClient::for_config(&context.config)));
    let informer = factory.informer_for(&widgets.resource);
    factory.start();
    context.until(async || matches!(informer.connection().phase, Phase::Reconnecting { .. })).await;
    assert!(!informer.has_synced());
    widgets.create_definition(&context).await;
    widgets.create("w", 1).await;
    let is_there = async || {
        informer.retry_now();
        informer.has_synced() && letters(&informer) == "w"
    };
    context.until(is_there).await;
}
