//! The kernel's type information: which tracepoints there are, and where fields lie.

use super::Feature;
use btf_rs::Btf;
use std::{fs, io::ErrorKind, path::Path};

const NAME: &str = "BTF";
const PATH: &str = "/sys/kernel/btf/vmlinux";

/// The type information, and the feature that it is.
pub(super) fn examine(root: &Path) -> (Option<Btf>, Feature) {
    let bytes = match fs::read(root.join(PATH.trim_start_matches('/'))) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            return (
                None,
                Feature::denied(NAME, format!("{PATH}: {error}"))
                    .remedy("run as root")
                    .required(),
            );
        }
        Err(error) => {
            let remedy = "needs a kernel built with CONFIG_DEBUG_INFO_BTF, and /sys mounted";
            return (
                None,
                Feature::absent(NAME, format!("{PATH}: {error}"))
                    .remedy(remedy)
                    .required(),
            );
        }
    };
    match Btf::from_bytes(&bytes) {
        Ok(btf) => (Some(btf), Feature::present(NAME, PATH).required()),
        Err(error) => (
            None,
            Feature::absent(NAME, format!("{PATH} cannot be understood: {error}")).required(),
        ),
    }
}
