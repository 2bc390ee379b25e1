//! A factory's informers, narrowed to a namespace and a label
//! (client-go: `informers.WithNamespace` and `informers.WithTweakListOptions`).

use std::rc::Rc;

use futures::future::LocalBoxFuture;
use watchglass::api::{Error, GroupVersionResource, ListOptions, ResourcePath};
use watchglass::cache::{ListProgress, ListResult, ListerWatcher, ListerWatcherSource, WatchStream};
use watchglass::rest::{ResourceListWatch, RestClient};

/// Gives a factory the objects of one namespace that a label selector selects.
pub struct Selection {
    pub client: RestClient,
    pub namespace: String,
    pub label_selector: String,
}

impl ListerWatcherSource for Selection {
    fn lister_watcher(&self, resource: &GroupVersionResource) -> Rc<dyn ListerWatcher> {
        let path = ResourcePath::all(resource.clone()).in_namespace(&self.namespace);
        let all = ResourceListWatch::new(self.client.clone(), path);
        Rc::new(Selected { all, label_selector: self.label_selector.clone() })
    }
}

struct Selected {
    all: ResourceListWatch,
    label_selector: String,
}

impl Selected {
    fn narrow(&self, options: ListOptions) -> ListOptions {
        ListOptions { label_selector: self.label_selector.clone(), ..options }
    }
}

impl ListerWatcher for Selected {
    fn list(
        &self,
        options: ListOptions,
        progress: Rc<dyn Fn(ListProgress)>,
    ) -> LocalBoxFuture<'static, Result<ListResult, Error>> {
        self.all.list(self.narrow(options), progress)
    }

    fn watch(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<WatchStream, Error>> {
        self.all.watch(self.narrow(options))
    }
}
