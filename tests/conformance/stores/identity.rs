use watchglass::api::GroupVersionResource;
use watchglass::cache::{InformerNameAndResource, InformerNameError, InformerNames};

fn pods() -> GroupVersionResource {
    GroupVersionResource::core("pods")
}

/// client-go: `TestNewInformerName`.
#[test]
fn a_name_is_had_once_until_it_is_given_back() {
    let names = InformerNames::default();
    let first = names.register("my-informer").unwrap();
    assert_eq!(first.name(), "my-informer");
    let taken = names.register("my-informer").unwrap_err();
    assert_eq!(taken, InformerNameError::Taken("my-informer".into()));
    assert_eq!(taken.to_string(), r#"informer name "my-informer" is already registered"#);
    let empty = names.register("").unwrap_err();
    assert_eq!(empty.to_string(), "informer name cannot be empty");
    let _other = names.register("other").unwrap();
    first.release();
    let again = names.register("my-informer").unwrap();
    first.release();
    drop(first);
    assert!(names.register("my-informer").is_err(), "who has given it back cannot do so again");
    drop(again);
    assert!(names.register("my-informer").is_ok());
    assert!(InformerNames::default().register("other").is_ok(), "another program's names are its own");
}

/// client-go: `TestWithResource`.
#[test]
fn the_first_informer_of_a_resource_is_reserved() {
    let name = InformerNames::default().register("my-informer").unwrap();
    let first = name.with_resource(pods());
    assert!(first.reserved());
    assert_eq!((first.name(), first.resource()), ("my-informer", &pods()));
    assert!(!name.with_resource(pods()).reserved());
    assert!(first.reserved());
    assert!(name.with_resource(GroupVersionResource::core("configmaps")).reserved());
    let unnamed = InformerNameAndResource::unnamed(pods());
    assert_eq!((unnamed.reserved(), unnamed.name(), unnamed.resource()), (false, "", &pods()));
}

/// client-go: `TestRelease`.
#[test]
fn giving_a_name_back_ends_all_its_reservations() {
    let names = InformerNames::default();
    let name = names.register("my-informer").unwrap();
    let before = [name.with_resource(pods()), name.with_resource(GroupVersionResource::core("configmaps"))];
    name.release();
    assert!(before.iter().all(|identity| !identity.reserved()));
    assert!(!name.with_resource(pods()).reserved(), "a name that was given back reserves nothing");
    let again = names.register("my-informer").unwrap();
    let after = again.with_resource(pods());
    assert!(after.reserved() && !before[0].reserved());
    drop(again);
    assert!(!after.reserved());
}
