//! The table of attacks.

mod abandoned_scans;
mod calm;
mod deep_values;
mod deleted_folder;
mod echoed_errors;
mod flipped_bits;
mod full_disk;
mod full_lane;
mod gzip_bombs;
mod heavy_conditions;
mod heavy_filters;
mod http2_continuations;
mod http2_pings;
mod http2_priorities;
mod http2_resets;
mod http2_settings;
mod http2_windows;
mod idle_connections;
mod killed_index_build;
mod large_heads;
mod large_transactions;
mod large_writes;
mod long_index_keys;
mod long_lists;
mod many_clients;
mod many_counts;
mod many_gzip_streams;
mod many_indexes;
mod many_pages;
mod many_streams;
mod many_tables;
mod many_updates;
mod many_writes;
mod moved_folder;
mod open_heads;
mod other_hosts;
mod pipelining;
mod repeated_values;
mod second_process;
mod shortened_log;
mod signed_headers;
mod slow_bodies;
mod slow_heads;
mod smuggling;
mod stop_during_scans;
mod stream_transactions;
mod unread_answers;
mod unread_http2;
mod unread_writes;
mod unsigned_bodies;
mod web_cross_origin;
mod web_cursors;
mod web_games;
mod web_idempotency;
mod web_idle_connections;
mod web_large_pictures;
mod web_large_uploads;
mod web_slow_bodies;
mod web_slow_heads;
mod web_socket_floods;
mod web_unread_pages;
mod web_unread_sockets;
mod web_unread_streams;
mod wide_indexes;
mod wide_values;
mod wrong_signatures;

use crate::round::Round;

/// Something that a hostile client does.
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Attacks servers of this round, and notes there what does not hold.
    pub(crate) run: fn(&mut Round) -> Result<(), String>,
}

macro_rules! attacks {
    ($($module:ident $name:expr, $about:literal,)*) => {
        &[$(Attack { name: $name, about: $about, run: $module::run },)*]
    };
}

/// The name of what is no attack, but shows what the machine can do.
pub(crate) const CALM: &str = "calm";

/// All attacks, in the order in which they run.
pub(crate) const ATTACKS: &[Attack] = attacks! {
    calm CALM, "no attack at all: what the machine can do just now",
    signed_headers "signed-headers", "a header that is long, and signed 14,000 times",
    open_heads "open-heads", "2125 requests on 17 HTTP/2 connections whose bodies never come",
    unread_answers "unread-answers", "20 answers of 16 MB that nobody reads",
    unread_http2 "unread-http2", "answers of 16 MB on an HTTP/2 connection whose windows are shut",
    unread_writes "unread-writes", "1920 updates that return 390 KB each, on 16 HTTP/2 connections whose windows are shut",
    many_updates "many-updates", "updates of 200 bytes that write 390 KB each, 960 at a time",
    many_pages "many-pages", "scans of 50 bytes that read a megabyte each, 960 at a time",
    unsigned_bodies "unsigned-bodies", "16 bodies of 16 MB and 45 of 300 KB without a signature that never end",
    heavy_filters "heavy-filters", "scans that search 1.5 MB for each item",
    long_lists "long-lists", "scans that look through a list of 400,000 elements for each item",
    full_lane "full-lane", "costly scans, 960 at a time, sent again when they are throttled",
    heavy_conditions "heavy-conditions", "writes whose conditions search 1.5 MB",
    large_transactions "large-transactions", "48 clients with transactions that read and make 17 MB of items",
    large_writes "large-writes", "items with 195,000 nested values, put in all three ways",
    repeated_values "repeated-values", "expressions that use a value of 1 MB a thousand times",
    abandoned_scans "abandoned-scans", "clients that leave in the middle of a costly scan",
    stop_during_scans "stop-during-scans", "SIGTERM while costly scans run",
    many_indexes "many-indexes", "CreateTable with five million indexes, eight at once",
    many_writes "many-writes", "batches and transactions with hundreds of thousands of entries",
    many_tables "many-tables", "tables with 54 KB of names and tags each, as many as possible",
    many_streams "many-streams", "a stream that is turned on and off, as often as possible",
    many_counts "many-counts", "transactions of 100 tiny puts into 100 tables with 20 indexes",
    many_clients "many-clients", "updates that write 390 KB each, on 900 new connections at a time",
    wide_indexes "wide-indexes", "transactions on items with 60,000 attributes, and 20 indexes that project others",
    long_index_keys "long-index-keys", "keys of 3,000 bytes in 20 indexes, which expire at once",
    stream_transactions "stream-transactions", "transactions on 100 items of 395 KB, with a stream of both images",
    deep_values "deep-values", "values that nest 100,000 levels",
    wide_values "wide-values", "values with a million members",
    echoed_errors "echoed-errors", "mistakes of megabytes, which a message could repeat",
    second_process "second-process", "a second process on a folder whose lock was deleted",
    moved_folder "moved-folder", "a folder that is moved away from under a server",
    deleted_folder "deleted-folder", "a folder that is deleted under a server",
    shortened_log "shortened-log", "a log that was cut short after a crash",
    flipped_bits "flipped-bits", "a bit that is flipped in a file after a crash",
    full_disk "full-disk", "a disk that gets full",
    killed_index_build "killed-index-build", "kill -9 while an index is built",
    slow_heads "slow-heads", "300 heads, a byte at a time",
    slow_bodies "slow-bodies", "300 bodies, a byte at a time",
    gzip_bombs "gzip-bombs", "64 KB that become 64 MB",
    many_gzip_streams "many-gzip-streams", "240 bodies of 15 KB that become 15 MB, on two HTTP/2 connections",
    smuggling "smuggling", "requests hidden in the bodies of others",
    http2_pings "http2-pings", "a flood of PING",
    http2_settings "http2-settings", "a flood of SETTINGS",
    http2_resets "http2-resets", "requests that are cancelled at once",
    http2_continuations "http2-continuations", "a head that never ends",
    http2_priorities "http2-priorities", "a flood of PRIORITY and WINDOW_UPDATE",
    http2_windows "http2-windows", "answers that are taken a byte at a time",
    idle_connections "idle-connections", "10,000 connections, of which there may be 1024",
    wrong_signatures "wrong-signatures", "a flood of wrong signatures",
    other_hosts "other-hosts", "requests that mean another host, at both servers",
    large_heads "large-heads", "heads of megabytes",
    pipelining "pipelining", "100,000 requests on one connection, without waiting",
    web_slow_heads "web-slow-heads", "300 heads to the pages, a byte at a time",
    web_slow_bodies "web-slow-bodies", "300 bodies to the pages, a byte at a time",
    web_idle_connections "web-idle-connections", "10,000 connections to the pages, of 4096",
    web_large_uploads "web-large-uploads", "32 uploads of 16 MB that never end, and 100 that come a byte at a time",
    web_large_pictures "web-large-pictures", "pictures of 65 KB that become 64 MB",
    web_unread_pages "web-unread-pages", "pages that are asked for and not read",
    web_unread_sockets "web-unread-sockets", "sockets of a busy game that do not read",
    web_unread_streams "web-unread-streams", "3360 streams and sockets, of 3072, that do not read",
    web_socket_floods "web-socket-floods", "sockets that send as fast as they can",
    web_cross_origin "web-cross-origin", "pages of other sites that send requests and open sockets",
    web_cursors "web-cursors", "cursors that were made up",
    web_games "web-games", "as many games as possible",
    web_idempotency "web-idempotency", "Idempotency-Key of another caller, and keys that are guessed",
};
