//! The cases, by what they are about.

mod objects;

use super::{Case, Context, context::object};

macro_rules! cases {
    ($($module:ident: $($name:ident),+;)+) => {
        /// All cases, in the order of this list.
        pub fn all() -> Vec<Case> {
            vec![$($(Case {
                name: concat!(stringify!($module), "::", stringify!($name)),
                run: |context| Box::pin($module::$name(context)),
            }),+),+]
        }
    };
}

cases! {
    objects:
        are_created_with_what_the_server_adds,
        of_one_name_exist_once,
        are_updated_from_their_newest_version_only,
        are_listed_by_name,
        are_deleted_once;
}
