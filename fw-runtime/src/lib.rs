//! The embeddable per-core dispatcher of FastWake. Nothing is here yet: the observing side (`fw-agent`, `fw-top`) comes
//! first, because the dispatcher's idle policy is judged by what it measures.
