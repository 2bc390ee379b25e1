//! The cases, by what they are about.

mod objects;
mod refusals;

use super::Case;
use super::context::{
    Context, config_map, config_maps, deployment, deployments, failure, namespaces, object, pod, pods, with_fields,
    with_labels,
};
use super::widgets::{Widgets, definitions};

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
        without_a_version_are_replaced_whatever_they_are,
        that_do_not_change_keep_their_version,
        that_are_missing_cannot_be_updated,
        of_another_uid_are_other_objects,
        get_a_name_from_their_prefix,
        are_listed_by_name,
        are_deleted_once,
        begin_in_the_server_s_state,
        of_a_custom_resource_are_as_others,
        count_the_generations_of_their_spec,
        keep_what_the_server_gave_them;
    refusals:
        name_the_field_of_a_bad_name,
        ask_for_a_name,
        name_a_bad_label,
        leave_what_cannot_change,
        tell_a_body_of_another_kind,
        tell_a_body_of_another_namespace,
        tell_a_body_of_another_name,
        know_no_other_resource,
        take_nothing_into_a_namespace_that_is_not_there,
        take_nothing_into_a_namespace_that_ends,
        hold_a_schema,
        name_a_selector_that_does_not_match_the_template,
        say_which_methods_there_are;
}
