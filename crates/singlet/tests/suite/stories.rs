//! The stories: what the model does, each told by itself with items of its own.

pub(crate) mod arithmetic;
mod attempts;
mod batches;
mod changes;
mod collections;
mod conditions;
mod elements;
mod expiry;
mod index_keys;
mod inspection;
mod item_errors;
mod key_fields;
mod keys;
mod pages;
mod patterns;
mod payloads;
mod positions;
mod provisioning;
mod queries;
mod reads;
mod refusals;
mod spans;
mod stored_items;
mod transactions;
mod types;
mod updates;
mod writes;

use crate::github;
use crate::sample::{Comment, Goal, Match, Rating, Site, Status};
use crate::{Fixture, TestResult};
use singlet::Timestamp;
use std::future::Future;
use std::pin::Pin;

type Story = for<'s> fn(&'s Fixture) -> Pin<Box<dyn Future<Output = TestResult> + 's>>;

macro_rules! stories {
    ($($module:ident: $($story:ident)+;)+) => {
        /// All stories, by their names.
        pub(crate) const ALL: &[(&str, Story)] = &[
            $($((
                concat!(stringify!($module), "::", stringify!($story)),
                |fixture| Box::pin($module::$story(fixture)),
            ),)+)+
        ];
    };
}

stories! {
    github: every_access_pattern;
    writes: a_new_item_is_created_once an_item_is_replaced what_the_model_keeps versions_lock
        deleting_gives_back_what_was_there;
    reads: every_type_is_read_back some_fields_only fields_of_older_items several_at_one_moment numbers_and_bytes_as_keys
        what_cannot_be_a_key what_is_too_long_for_a_key what_is_not_an_entity
        what_can_be_read_beside_it;
    updates: fields_are_changed sets_and_lists_grow parts_of_fields an_update_needs_an_item
        an_upsert_makes_what_is_missing an_upsert_must_be_complete;
    arithmetic: a_sum_that_does_not_fit_is_refused sums_reach_the_ends_of_their_ranges
        every_kind_of_amount an_upsert_counts_from_zero a_condition_comes_before_a_range
        an_index_key_can_be_added_to a_field_is_set_from_another fields_are_compared_with_fields;
    elements: they_are_removed they_are_set nothing_keeps_its_place_in_a_list
        nothing_keeps_its_key_in_a_map one_part_changes_once none_of_no_values;
    index_keys: they_follow_what_is_set they_come_and_go fields_of_one_key_are_set_together
        a_field_can_be_the_key an_upsert_does_not_take_an_item_out;
    keys: an_index_has_the_key_whose_condition_holds a_scan_reads_the_keys_of_one_pattern
        entities_share_a_key items_of_others_in_an_index_are_passed_over;
    key_fields: a_projection_reads_them an_index_can_hold_their_key
        they_are_set_with_the_others_of_their_key;
    conditions: every_comparison missing_and_null joined;
    queries: by_the_beginning_of_the_sort_key by_a_range by_eight_parts by_numbers entities_are_never_mixed
        collections_are_read_by_one_query;
    pages: they_are_full_and_follow_each_other cursors_cannot_be_forged items_one_by_one counting
        scans;
    batches: any_number_is_written_and_read the_last_write_of_a_key_counts answers_that_are_too_small
        several_entities_are_read_at_once a_batch_reads_what_a_get_reads;
    transactions: all_or_nothing the_refused_operation_is_named checks_guard tokens_are_carried_out_once
        a_token_belongs_to_one_transaction a_refused_transaction_leaves_its_token
        a_token_has_one_moment_everywhere a_token_of_an_upsert_that_replaced
        gathered_one_by_one what_is_too_much_is_refused
        a_token_that_is_only_shown_is_not_used;
    expiry: expired_items_are_gone an_expired_item_does_not_block an_expired_item_is_not_updated
        an_upsert_begins_anew;
    payloads: fields_in_one_text;
    changes: the_feed_tells_entities every_listener_hears_everything
        a_corrupt_item_does_not_stop_the_feed;
    collections: only_what_is_asked_for_is_read by_an_index several_entities_in_their_order
        pages_of_several_entities cursors_are_of_one_query local_and_thin_indexes
        every_range_narrows_the_one_before expiry_is_that_of_the_entity corrupt_items_fill_no_limit
        filters_are_on_what_the_index_holds the_last_character_is_in_every_range;
    patterns: a_collection_reads_one_of_several_keys other_keys_in_a_range_are_passed_over;
    refusals: every_invalid_request_is_refused what_methods_can_get_wrong;
    provisioning: what_is_missing_is_made two_at_once a_name_that_no_table_can_have;
    spans: what_was_consumed_is_told;
    attempts: no_increment_is_lost versions_are_tried_again other_errors_end_it_at_once
        attempts_have_a_bound a_conflict_ends_it;
    positions: a_listener_that_is_killed_goes_on_and_misses_nothing a_position_before_any_change
        no_position_without_a_stream what_is_no_position;
    inspection: requests_are_shown_before_they_are_sent operations_show_themselves
        entities_and_keys_are_items a_way_out_of_the_model;
    item_errors: what_is_too_large_is_named a_refusal_names_the_item
        a_failed_condition_names_the_item reads_name_the_entity;
    stored_items: every_attribute_is_there every_kind_of_key;
    types: everything_in_one_entity they_stand_in_conditions_and_updates enums_and_newtypes_in_keys
        types_of_other_libraries;
}

pub(crate) fn id<T: std::str::FromStr>(text: impl AsRef<str>) -> T
where
    T::Err: std::fmt::Debug,
{
    text.as_ref().parse().unwrap()
}

pub(crate) fn site(id: &str, now: Timestamp) -> Site {
    Site {
        id: self::id(id),
        owner: self::id("owner"),
        title: "A title".into(),
        description: None,
        rating: None,
        visits: 0,
        is_public: true,
        tags: Default::default(),
        history: vec![],
        counts: Default::default(),
        location: None,
        thumbnail: None,
        created_at: now,
        updated_at: now,
        version: 0,
    }
}

pub(crate) fn rating(user: &str, site: &str, stars: u8) -> Rating {
    Rating { user: id(user), site: id(site), stars, note: None }
}

pub(crate) fn comment(user: &str, site: &str, comment: &str, written_at: Timestamp) -> Comment {
    Comment { user: id(user), site: id(site), id: id(comment), body: "…".into(), written_at }
}

pub(crate) fn game(id: &str, now: Timestamp) -> Match {
    Match {
        id: self::id(id),
        day: None,
        hour: 9,
        field: self::id("north"),
        live: None,
        start_time: now,
        status: Status::Scheduled,
    }
}

pub(crate) fn goal(game: &str, third: u8, minute: u16, id: &str) -> Goal {
    Goal { game: self::id(game), third, minute, id: self::id(id), scorer: None }
}

/// Whether a write was refused because of its condition.
pub(crate) fn is_refused<T>(outcome: &singlet::Result<T>) -> bool {
    matches!(outcome, Err(singlet::Error::ConditionFailed { .. }))
}

/// Whether the store says that a request is not as it may be.
pub(crate) fn is_invalid<T>(outcome: &singlet::Result<T>) -> bool {
    let refusal = outcome.as_ref().err().and_then(singlet::Error::refusal);
    refusal.is_some_and(|error| error.kind() == singlet::dynamo::ErrorKind::Validation)
}
