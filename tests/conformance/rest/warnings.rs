//! What the server warns of.

use std::cell::RefCell;
use std::rc::Rc;

use watchglass::api::{GetOptions, ListOptions};
use watchglass::rest::{Config, NoWarnings, RestClient, WarningCollector, WarningHandler};

use super::scripted::{Scripted, answer, json, pod, pods};

#[derive(Default)]
struct Told(RefCell<Vec<(u16, String, String)>>);

impl WarningHandler for Told {
    fn handle_warning(&self, code: u16, agent: &str, text: &str) {
        self.0.borrow_mut().push((code, agent.into(), text.into()));
    }
}

/// client-go: `TestRequestWarningHandler`, `TestConfigWarningHandler`.
#[test]
fn the_handler_is_told_of_each_warning_of_each_answer() {
    let both = r#"299 - "one, and \"two\"" , 199 proxy "three""#;
    let server = Scripted::new([
        answer(500).retry_after(0).header("warning", r#"299 - "not yet""#),
        json(200, &pod()).header("warning", both).header("warning", r#"299 - "four""#).header("warning", "rubbish"),
        answer(403).header("warning", r#"299 - "last""#),
    ]);
    let told = Rc::new(Told::default());
    let handler = Rc::clone(&told) as Rc<dyn WarningHandler>;
    let client = RestClient::for_config(&Config { warning_handler: handler, ..server.config() });
    server.block_on(client.get(&pods().named("web"), &GetOptions::default())).expect("an object");
    server.block_on(client.watch(&pods(), &ListOptions::default())).map(drop).expect_err("it is refused");
    let told = told.0.borrow();
    let told: Vec<_> = told.iter().map(|(code, agent, text)| (*code, agent.as_str(), text.as_str())).collect();
    let expected = [
        (299, "-", "not yet"),
        (299, "-", r#"one, and "two""#),
        (199, "proxy", "three"),
        (299, "-", "four"),
        (299, "-", "last"),
    ];
    assert_eq!(told, expected);
}

/// client-go: `TestDefaultWarningHandler`.
#[test]
fn warnings_are_logged_unless_a_handler_is_named() {
    let server = Scripted::new([json(200, &pod()).header("warning", r#"299 - "old""#)]);
    let collector = Rc::new(WarningCollector::default());
    let handlers: [Option<Rc<dyn WarningHandler>>; 3] =
        [None, Some(Rc::new(NoWarnings)), Some(Rc::clone(&collector) as Rc<dyn WarningHandler>)];
    for handler in handlers {
        let config = server.config();
        let warning_handler = handler.unwrap_or_else(|| Rc::clone(&config.warning_handler));
        let client = RestClient::for_config(&Config { warning_handler, ..config });
        for _ in 0..2 {
            server.block_on(client.get(&pods().named("web"), &GetOptions::default())).expect("an object");
        }
    }
    assert_eq!(collector.texts(), ["old"]);
}
