//! Elements that are made one by one.
//!
//! For content of many shapes that is shown as a whole: of a view, each shape is code of its own, and kilobytes of what
//! a visitor downloads. What stays the same keeps its elements, and with them what is selected in it.

use jiff::Timestamp;
use leptos::prelude::document;
use leptos::tachys::renderer::Rndr;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Node, NodeList};

use super::time::local_date_time;
use crate::view::{Health, age_text};

pub(crate) fn text(text: &str) -> Node {
    Rndr::create_text_node(text).into()
}

/// An element of a class, or of none, with what it holds.
pub(crate) fn element(tag: &str, class: &str, children: Vec<Node>) -> Node {
    let element = Rndr::create_element(tag, None);
    if !class.is_empty() {
        Rndr::set_attribute(&element, "class", class);
    }
    children.iter().for_each(|child| Rndr::insert_node(&element, child, None));
    element.into()
}

/// The element with one more attribute.
pub(crate) fn with(node: Node, attribute: &str, value: &str) -> Node {
    if let Some(element) = node.dyn_ref::<Element>() {
        Rndr::set_attribute(element, attribute, value);
    }
    node
}

/// A word of the one vocabulary, with its icon.
pub(crate) fn status_word(word: &str, health: Health) -> Node {
    element("span", &["status ", health.as_str()].concat(), vec![text(word)])
}

/// How long ago that was, the moment itself as its title; [`tell_ages`] goes on with it.
pub(crate) fn age(moment: Option<Timestamp>, now: Timestamp) -> Node {
    let Some(at) = moment else { return text("") };
    let time = element("time", "", vec![text(&age_text(moment, now))]);
    with(with(time, "title", &local_date_time(at)), "data-at", &at.as_millisecond().to_string())
}

/// Brings the ages below an element up to date.
pub(crate) fn tell_ages(root: &Element, now: Timestamp) {
    for time in all(root, "time[data-at]") {
        let at = time.get_attribute("data-at").and_then(|at| at.parse().ok());
        let age = age_text(at.and_then(|at| Timestamp::from_millisecond(at).ok()), now);
        if time.text_content().as_ref() != Some(&age) {
            time.set_text_content(Some(&age));
        }
    }
}

/// Has an element hold these. Each keeps the element in its place if that is the same; what a person has opened in it
/// stays open.
pub(crate) fn fill(root: &Element, children: Vec<Node>) {
    let mut old = root.first_child();
    for new in children {
        let Some(node) = old else {
            Rndr::insert_node(root, &new, None);
            continue;
        };
        keep_open(&node, &new);
        old = node.next_sibling();
        if !node.is_equal_node(Some(&new)) {
            // Both are nodes of this document, one of them in this place.
            let _ = root.replace_child(&new, &node);
        }
    }
    while let Some(node) = old {
        old = node.next_sibling();
        // It stands below the root, as was just seen.
        let _ = root.remove_child(&node);
    }
}

fn keep_open(old: &Node, new: &Node) {
    let (Some(old), Some(new)) = (old.dyn_ref::<Element>(), new.dyn_ref::<Element>()) else { return };
    for (old, new) in all(old, "details").zip(all(new, "details")) {
        if old.has_attribute("open") && old.text_content() == new.text_content() {
            Rndr::set_attribute(&new, "open", "");
        }
    }
}

/// The elements below one that a selector finds.
fn all(root: &Element, selector: &str) -> impl Iterator<Item = Element> + use<> {
    let found: Option<NodeList> = root.query_selector_all(selector).ok();
    let count = found.as_ref().map_or(0, NodeList::length);
    (0..count).filter_map(move |at| found.as_ref()?.item(at)?.dyn_into().ok())
}

/// Whether the keyboard is nowhere.
pub(crate) fn is_keyboard_free() -> bool {
    document().active_element().is_none_or(|active| active.tag_name() == "BODY")
}
