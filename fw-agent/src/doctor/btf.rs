//! The kernel's type information: which tracepoints there are, and where fields lie.

use super::Feature;
use crate::{
    Error,
    host::Root,
    probe::btf::{Kernel, VMLINUX},
};
use std::{fs::File, io::ErrorKind};

const NAME: &str = "BTF";

/// The type information, and the feature that it is.
pub(super) fn examine(root: &Root) -> (Option<Kernel>, Feature) {
    if let Err(error) = File::open(root.path(VMLINUX)) {
        let feature = match error.kind() {
            ErrorKind::PermissionDenied => Feature::denied(NAME, format!("/{VMLINUX}: {error}")).remedy("run as root"),
            _ => Feature::absent(NAME, format!("/{VMLINUX}: {error}"))
                .remedy("needs a kernel built with CONFIG_DEBUG_INFO_BTF, and /sys mounted"),
        };
        return (None, feature.required());
    }
    match Kernel::read(&root.path("/")) {
        Ok(kernel) => (Some(kernel), Feature::present(NAME, format!("/{VMLINUX}")).required()),
        Err(Error::NoBtf { reason, .. }) => (None, unreadable(&reason)),
        Err(error) => (None, unreadable(&error.to_string())),
    }
}

fn unreadable(reason: &str) -> Feature {
    Feature::absent(NAME, format!("/{VMLINUX} cannot be understood: {reason}")).required()
}
