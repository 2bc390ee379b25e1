//! k8s-openapi's types over the same clients and informers.

mod clientset;
mod informers;
mod table;
