use std::time::Duration;

use watchglass::runtime::Traffic;

use crate::UNBROKEN;
use crate::scene::{Scene, path, run};

/// A browser has six connections, and this is where it needs a scheduler; a native client has as many as it needs.
#[test]
fn a_get_beside_ten_informers_answers_within_a_second() {
    // Alone, for the sake of the second.
    let _alone = UNBROKEN.write();
    run(async {
        let scene = Scene::new("many").await;
        let core = ["pods", "services", "configmaps", "secrets", "serviceaccounts", "endpoints", "events"];
        let apps = ["deployments", "replicasets", "daemonsets"];
        let paths = core.iter().map(|name| path("", "v1", name)).chain(apps.map(|name| path("apps", "v1", name)));
        let informers: Vec<_> = paths.map(|path| scene.informer(path)).collect();
        for watched in &informers {
            watched.connected().await;
        }
        assert!(scene.proxy.open().len() >= 10, "a connection each");
        scene.create_config_map("there").await;
        let get = scene.client();
        let named = scene.config_maps().named("there");
        let answer = tokio::time::timeout(Duration::from_secs(1), get.get(&named, &Default::default())).await;
        assert_eq!(answer.expect("within a second").expect("an answer").name(), "there");
        assert_eq!(scene.log.count(Traffic::Watch), 10, "no watch gave way");
        assert!(informers.iter().all(|watched| watched.is_connected()));
    });
}
