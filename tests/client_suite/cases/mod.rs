//! The cases, by what they are about.

mod apply;
mod containers;
mod deletion;
mod discovery;
mod informers;
mod lists;
mod metadata;
mod objects;
mod options;
mod patches;
mod refusals;
mod rights;
mod subresources;
mod tables;
mod watches;

use super::Case;
use super::context::{
    Context, config_map, config_maps, conflict, deployment, deployments, failure, namespaces, object, pod, pods,
    with_fields, with_labels,
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
    patches:
        merge_what_they_name,
        are_carried_out_step_by_step,
        whose_test_fails_change_nothing,
        from_an_old_version_conflict,
        need_an_object,
        merge_lists_by_their_keys,
        replace_lists_when_they_merge_plainly,
        of_custom_resources_are_never_strategic,
        merge_sets_of_values,
        that_cannot_be_read_are_refused,
        change_no_identity;
    apply:
        creates_what_is_missing,
        removes_what_is_applied_no_more,
        shares_what_two_set_to_the_same,
        names_who_owns_what_it_would_change,
        names_all_conflicts,
        leaves_a_field_to_another_manager,
        merges_lists_by_their_keys,
        merges_lists_of_a_definition_by_their_keys,
        of_the_status_is_apart,
        must_name_the_object,
        stands_beside_plain_writes;
    options:
        dry_runs_change_nothing,
        dry_runs_are_refused_as_others,
        strict_writes_refuse_unknown_fields,
        lenient_writes_warn_of_unknown_fields,
        unknown_fields_of_a_definition_are_dropped,
        deprecated_versions_come_with_a_warning,
        managers_have_names_of_limited_length;
    subresources:
        the_status_is_written_apart,
        the_status_of_a_custom_resource_is_written_apart,
        the_status_is_patched_apart,
        kinds_without_a_status_have_no_address_for_it,
        a_deployment_is_scaled,
        a_custom_resource_is_scaled,
        a_scale_is_of_something;
    deletion:
        holds_only_under_its_preconditions,
        waits_for_finalizers,
        takes_what_it_owns_afterwards,
        takes_what_it_owns_first,
        leaves_orphans,
        of_a_pod_on_no_node_is_at_once,
        of_a_collection_follows_the_selector,
        of_a_definition_takes_its_objects;
    lists:
        select_by_labels,
        select_by_fields,
        refuse_selectors_that_they_do_not_know,
        come_in_pages,
        come_in_pages_of_what_is_selected,
        are_put_together_by_the_pager,
        refuse_tokens_that_are_none,
        show_the_past_exactly,
        refuse_odd_versions,
        from_the_future_are_too_large,
        of_all_namespaces_hold_them_all;
    watches:
        tell_what_happens_in_its_order,
        go_on_from_any_version,
        begin_with_what_is_there,
        see_what_their_selector_sees,
        tell_leaving_with_the_state_before,
        of_one_object_see_no_other,
        may_begin_with_a_marked_state,
        refuse_half_of_a_watch_list,
        end_in_good_order_when_their_time_is_over,
        refuse_a_version_that_is_none,
        of_a_custom_resource_are_as_others,
        tell_a_deletion_when_it_is_over;
    tables:
        of_config_maps_count_their_data,
        hold_as_much_of_the_object_as_asked,
        of_pods_show_their_state,
        of_deployments_count_replicas,
        of_a_custom_resource_have_its_columns;
    metadata:
        is_read_alone,
        is_listed_alone,
        is_watched_alone,
        of_a_custom_resource_is_read_alone;
    discovery:
        tells_of_a_definition_at_once,
        tells_of_a_definition_version_by_version,
        knows_the_kinds_that_a_page_shows,
        tells_the_version,
        maps_what_people_call_a_resource,
        confirms_what_is_known_by_its_tag;
    rights:
        of_the_administrator_are_all,
        of_somebody_else_are_few,
        that_are_missing_are_named,
        that_are_missing_forbid_watches_and_subresources,
        come_from_the_one_who_acts,
        come_with_a_role_and_its_binding;
    containers:
        tell_the_end_of_their_logs,
        tell_their_logs_as_long_as_somebody_listens,
        have_no_logs_before_they_run,
        must_be_named_when_there_are_several,
        run_commands;
    informers:
        follow_over_the_rest_client,
        follow_over_the_dynamic_client,
        follow_over_the_metadata_client,
        of_metadata_hold_nothing_else,
        tell_their_handlers_of_each_change,
        wait_for_a_definition;
}
