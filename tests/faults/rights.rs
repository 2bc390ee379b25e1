//! Rights and tokens that are taken away and given back.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures::future::{FutureExt as _, LocalBoxFuture};
use serde_json::json;
use watchglass::api::{CreateOptions, ListOptions, ResourcePath};
use watchglass::rest::{BearerToken, Config, ResourceListWatch, RestClient, Token, TokenSource};
use watchglass::runtime::TransportError;

use crate::UNBROKEN;
use crate::fault_proxy::Mode;
use crate::scene::{Scene, changes, object, path, run};

const RBAC: &str = "rbac.authorization.k8s.io";

/// Lets somebody read the namespace.
async fn let_read(scene: &Scene, subject: serde_json::Value) {
    let role = json!({ "apiGroup": RBAC, "kind": "ClusterRole", "name": "view" });
    let fields = json!({ "roleRef": role, "subjects": [subject] });
    scene.create(&scene.path(RBAC, "v1", "rolebindings"), "RoleBinding", "reads", fields).await;
}

async fn until_list(client: &RestClient, path: &ResourcePath, wanted: impl Fn(&watchglass::api::Error) -> bool) {
    let list = async || client.list(path, &ListOptions::default(), &|_| {}).await;
    while !list().await.is_err_and(|error| wanted(&error)) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[test]
fn rights_that_are_taken_away_while_watching_show_at_the_next_watch_and_nothing_is_missed_once_they_are_back() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let scene = Scene::new("rights").await;
        let restricted = scene.client_over(scene.through_proxy(&scene.cluster.setting("/restricted/token")));
        let user = json!({ "apiGroup": RBAC, "kind": "User", "name": "restricted" });
        let everywhere = path("", "v1", "configmaps");
        let error = restricted.list(&everywhere, &ListOptions::default(), &|_| {}).await.expect_err("no right");
        assert!(error.is_forbidden() && error.to_string().contains("at the cluster scope"), "{error}");

        scene.create_config_map("goes").await;
        let_read(&scene, user.clone()).await;
        let source = ResourceListWatch::new(restricted.clone(), scene.config_maps());
        let watched = scene.informer_of(scene.config_maps(), Rc::new(source), |_| {});
        scene.is_watched_by(&watched).await;

        scene.delete(scene.path(RBAC, "v1", "rolebindings"), "reads").await;
        until_list(&restricted, &scene.config_maps(), watchglass::api::Error::is_forbidden).await;
        scene.create_config_map("seen").await;
        watched.until(|| watched.holds("seen")).await;
        assert!(watched.is_connected(), "the server asks for rights when a watch begins");

        scene.proxy.set_open(Mode::Cut);
        watched.until(|| watched.error().is_some_and(|error| error.is_forbidden())).await;
        assert!(watched.holds("goes"), "what is held stays, and is known to be stale");
        scene.delete(scene.config_maps(), "goes").await;
        scene.create_config_map("comes").await;
        let_read(&scene, user).await;
        watched.until(|| watched.holds("comes")).await;
        watched.is_in_step().await;
        watched.connected().await;
        assert_eq!(changes(&watched), ["+comes", "+seen", "?goes"]);
    });
}

/// The tokens of a service account, each bound to a secret, and of use for as long as that is there.
struct Bound {
    admin: RestClient,
    account: ResourcePath,
    secret: Rc<RefCell<Option<serde_json::Value>>>,
    fetched: Rc<RefCell<Vec<String>>>,
}

impl TokenSource for Bound {
    fn token(&self) -> LocalBoxFuture<'static, Result<Token, TransportError>> {
        let (admin, account, fetched) = (self.admin.clone(), self.account.clone(), Rc::clone(&self.fetched));
        let secret = self.secret.borrow().clone();
        async move {
            let bound = secret.ok_or_else(|| TransportError("nobody is signed in".into()))?;
            let fields = json!({ "spec": { "expirationSeconds": 600, "boundObjectRef": bound } });
            let request = object("authentication.k8s.io/v1", "TokenRequest", "", "", fields);
            let answer = admin.create(&account.subresource("token"), &request, &CreateOptions::default()).await;
            let answer = answer.map_err(|error| TransportError(error.to_string()))?;
            let value = answer.str_at(&["status", "token"]).expect("a token").to_owned();
            fetched.borrow_mut().push(value.clone());
            Ok(Token { value, expires_at: None })
        }
        .boxed_local()
    }
}

impl Bound {
    async fn sign_in(scene: &Scene, name: &str) -> serde_json::Value {
        let secrets = scene.path("", "v1", "secrets");
        scene.create(&secrets, "Secret", name, json!({})).await;
        let secret = scene.admin.get(&secrets.named(name), &Default::default()).await.expect("the secret");
        json!({ "kind": "Secret", "apiVersion": "v1", "name": name, "uid": secret.uid() })
    }
}

#[test]
fn a_token_that_is_revoked_shows_as_unauthorized_and_nothing_is_missed_after_the_next_sign_in() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let scene = Scene::new("token").await;
        scene.create(&scene.path("", "v1", "serviceaccounts"), "ServiceAccount", "reader", json!({})).await;
        let_read(&scene, json!({ "kind": "ServiceAccount", "name": "reader", "namespace": scene.namespace })).await;
        let secret = Rc::new(RefCell::new(Some(Bound::sign_in(&scene, "first").await)));
        let source = Bound {
            admin: scene.admin.clone(),
            account: scene.path("", "v1", "serviceaccounts").named("reader"),
            secret: Rc::clone(&secret),
            fetched: Rc::default(),
        };
        let fetched = Rc::clone(&source.fetched);
        let transport = scene.through_proxy("");
        let config = Config::without_rate_limit(&scene.runtime, transport)
            .with_bearer_token(BearerToken::from_source(Rc::new(source)));
        let client = RestClient::for_config(&config);
        scene.create_config_map("goes").await;
        let source = ResourceListWatch::new(client.clone(), scene.config_maps());
        let watched = scene.informer_of(scene.config_maps(), Rc::new(source), |_| {});
        scene.is_watched_by(&watched).await;

        scene.delete(scene.path("", "v1", "secrets"), "first").await;
        secret.replace(None);
        // The server believes a token for ten seconds more.
        until_list(&client, &scene.config_maps(), watchglass::api::Error::is_unauthorized).await;
        scene.proxy.set_open(Mode::Cut);
        watched.until(|| watched.error().is_some_and(|error| error.is_unauthorized())).await;
        assert!(watched.holds("goes"), "what is held stays, and is known to be stale");
        scene.delete(scene.config_maps(), "goes").await;
        scene.create_config_map("comes").await;

        let second = Bound::sign_in(&scene, "second").await;
        secret.replace(Some(second));
        watched.until(|| watched.holds("comes")).await;
        watched.is_in_step().await;
        assert_eq!(changes(&watched), ["+comes", "?goes"]);
        assert_eq!(fetched.borrow().len(), 2, "one token for each time somebody signed in");
    });
}
