use wasm_bindgen_test::wasm_bindgen_test;
use watchglass::runtime::Storage as _;
use watchglass::runtime::web::LocalStorage;

#[wasm_bindgen_test]
fn what_is_stored_is_read_again() {
    LocalStorage.set("watchglass.test", "dark");
    assert_eq!(LocalStorage.get("watchglass.test").as_deref(), Some("dark"));
    assert_eq!(LocalStorage.get("watchglass.absent"), None);
}
