use std::panic::PanicHookInfo;

/// Shows a panic as a message in the page, instead of a page that does not answer any more.
///
/// The details also go to the browser's console.
pub fn show_panics() {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        // Without a document there is nobody to tell.
        let _ = show(info);
    }));
}

fn show(info: &PanicHookInfo<'_>) -> Option<()> {
    let document = web_sys::window()?.document()?;
    let element = |tag: &str, class: &str, text: &str| {
        let element = document.create_element(tag).ok()?;
        element.set_class_name(class);
        element.set_text_content(Some(text));
        Some(element)
    };
    let place = info.location().map(|it| format!("{}:{}", it.file(), it.line())).unwrap_or_default();
    let backdrop = element("div", "crash", "")?;
    backdrop.set_attribute("role", "alertdialog").ok()?;
    let content = element("div", "crash-box", "")?;
    let link = element("a", "", "Reload the page")?;
    link.set_attribute("href", "").ok()?;
    let parts = [
        element("h1", "", "Watchglass has stopped")?,
        element("p", "", "A mistake in the program, not in your cluster. Nothing was changed there.")?,
        element("code", "", &format!("watchglass {} stopped at {place}", env!("CARGO_PKG_VERSION")))?,
        link,
    ];
    for part in &parts {
        content.append_child(part).ok()?;
    }
    backdrop.append_child(&content).ok()?;
    document.body()?.append_child(&backdrop).ok()?;
    Some(())
}
