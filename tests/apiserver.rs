//! The in-memory API server as its clients see it, through the in-process door and through HTTP.
#![cfg(feature = "testing")]

mod apiserver {
    mod client;
    mod crd;
    mod deletion;
    mod discovery;
    mod faults;
    #[cfg(feature = "testing-http")]
    mod http;
    mod list;
    mod log_follower;
    mod logs;
    mod managed_fields;
    mod recorded;
    mod rest_client;
    mod rights;
    mod scenario;
    mod sockets;
    mod table;
    mod watch;
    mod write;
}
