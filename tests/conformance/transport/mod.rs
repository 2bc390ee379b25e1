//! The few connections of a browser: who gets one, who waits, who takes turns, and what goes over sockets.

mod exec;
mod informers;
mod logs;
mod network;
mod read_ahead;
mod read_only;
mod rotation;
mod scheduler;
mod sockets;
mod tabs;
