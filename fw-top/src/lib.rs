//! The live dashboard of FastWake.
