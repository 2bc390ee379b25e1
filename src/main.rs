//! The dashboard's page: opens the cluster that the page is served for, or the demo cluster.

#[cfg(target_arch = "wasm32")]
mod page {
    use std::rc::Rc;

    use wasm_bindgen::JsCast as _;
    use watchglass::runtime::Runtime;
    use watchglass::runtime::web::{self, LocalStorage};
    #[cfg(not(feature = "demo"))]
    use watchglass::runtime::{SocketTransport, Transport};
    #[cfg(feature = "demo")]
    use watchglass::testing::{Scenario, apiserver::ApiServer};
    #[cfg(not(feature = "demo"))]
    use watchglass::transport::{Connections, ReadOnly};
    use watchglass::ui;

    pub(super) fn open() {
        ui::show_panics();
        let app = web_sys::window().and_then(|window| window.document()?.get_element_by_id("app"));
        let Some(app) = app.and_then(|app| app.dyn_into().ok()) else { return };
        ui::mount(app, options(web::runtime()));
    }

    #[cfg(not(feature = "demo"))]
    fn options(runtime: Runtime) -> ui::Options {
        let base = api_base().unwrap_or_else(|| "../".into());
        let address = address(&base);
        let transport = connections(&runtime, &base);
        ui::Options { runtime, transport, storage: Rc::new(LocalStorage), address, is_demo: false }
    }

    /// A page has six connections for the requests, watches and logs of all its tabs.
    #[cfg(not(feature = "demo"))]
    fn connections(runtime: &Runtime, base: &str) -> Rc<dyn Transport> {
        let mut requests: Rc<dyn Transport> = Rc::new(web::FetchTransport::new(runtime, base));
        let mut sockets: Rc<dyn SocketTransport> = Rc::new(web::WebSocketTransport::new(base));
        if is_read_only() {
            let read_only = Rc::new(ReadOnly::new(requests, sockets, "open the page without ?read-only"));
            (requests, sockets) = (read_only.clone(), read_only);
        }
        let slots = Rc::new(web::WebSlots::new(runtime, "watchglass.connection", Connections::WATCHES));
        Rc::new(Connections::sharing(runtime, requests, Some(sockets), slots))
    }

    /// `?read-only` in the address: nothing that could change the cluster leaves the page.
    #[cfg(not(feature = "demo"))]
    fn is_read_only() -> bool {
        let search = web_sys::window().and_then(|window| window.location().search().ok()).unwrap_or_default();
        web_sys::UrlSearchParams::new_with_str(&search).is_ok_and(|query| query.has("read-only"))
    }

    #[cfg(feature = "demo")]
    fn options(runtime: Runtime) -> ui::Options {
        let server = ApiServer::new(runtime.clone());
        // It plays for as long as the page stands.
        std::mem::forget(Scenario::start(&server, &runtime, 1));
        let transport = server.transport();
        ui::Options {
            runtime,
            transport,
            storage: Rc::new(LocalStorage),
            address: "in this page".into(),
            is_demo: true,
        }
    }

    /// Where the API server's root lies: `?api=` in the address, else the page's `<meta name="watchglass-api">`.
    /// Of the same origin only: a link must not make the page send requests elsewhere.
    #[cfg(not(feature = "demo"))]
    fn api_base() -> Option<String> {
        let window = web_sys::window()?;
        let document = window.document()?;
        let query = web_sys::UrlSearchParams::new_with_str(&window.location().search().ok()?).ok()?;
        let meta = || document.query_selector("meta[name=watchglass-api]").ok()??.get_attribute("content");
        let base = query.get("api").or_else(meta)?;
        let base = if base.ends_with('/') { base } else { format!("{base}/") };
        let url = web_sys::Url::new_with_base(&base, &document.base_uri().ok()??).ok()?;
        (url.origin() == window.location().origin().ok()?).then(|| url.href())
    }

    /// The host, and the path where the root is not the host's own.
    #[cfg(not(feature = "demo"))]
    fn address(base: &str) -> String {
        match web_sys::Url::new(base) {
            Ok(url) => format!("{}{}", url.host(), url.pathname().trim_end_matches('/')),
            Err(_) => base.into(),
        }
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {
    page::open();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This program is a page: build it with `trunk build --release` and open dist/index.html on a server");
}
