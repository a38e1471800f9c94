//! What the kernel's own type information (BTF) says: which tracepoints there are, and where fields lie.

use std::path::Path;

use btf_rs::{Backend, Btf, BtfType, Type};

use crate::Error;

/// `/sys/kernel/btf/vmlinux` under a root directory.
pub const VMLINUX: &str = "sys/kernel/btf/vmlinux";

/// The kernel's types.
pub struct Kernel(Btf);

impl Kernel {
    /// Reads the types of the kernel.
    pub fn read(root: &Path) -> Result<Kernel, Error> {
        let path = root.join(VMLINUX);
        // Mapped where the kernel lets that file be mapped (6.16 and newer): a copy would stay in this process's memory.
        Btf::from_file_with_backend(&path, Backend::Mmap)
            .or_else(|_| Btf::from_file(&path))
            .map(Kernel)
            .map_err(|e| Error::NoBtf { path, reason: e.to_string() })
    }

    /// Arguments of a tracepoint; `None` if this kernel has no such tracepoint.
    pub fn tracepoint_args(&self, name: &str) -> Option<usize> {
        let typedef = self.named(&format!("btf_trace_{name}"), |t| matches!(t, Type::Typedef(_)))?;
        let pointer = self.0.resolve_chained_type(typedef.as_btf_type()?).ok()?;
        match self.0.resolve_chained_type(pointer.as_btf_type()?).ok()? {
            // The first parameter is the probe's own data.
            Type::FuncProto(proto) => Some(proto.parameters.len().saturating_sub(1)),
            _ => None,
        }
    }

    /// Offset in bytes of a field given by its path (`["thread_info", "cpu"]`) in a structure.
    pub fn offset(&self, structure: &str, path: &[&str]) -> Result<u32, Error> {
        self.find_offset(structure, path)
            .ok_or_else(|| Error::NoField { field: format!("{structure}.{}", path.join(".")) })
    }

    /// Value of an enumerator, e.g. the id of a cgroup controller.
    pub fn enumerator(&self, enumeration: &str, name: &str) -> Option<u32> {
        let Type::Enum(e) = self.named(enumeration, |t| matches!(t, Type::Enum(_)))? else { return None };
        e.members.iter().find(|m| self.is_named(*m, name)).map(|m| m.val())
    }

    fn find_offset(&self, structure: &str, path: &[&str]) -> Option<u32> {
        let mut at = self.named(structure, |t| matches!(t, Type::Struct(_)))?;
        let mut offset = 0;
        for field in path {
            let (bits, inner) = self.member(&at, field)?;
            offset += bits / 8;
            at = inner;
        }
        Some(offset)
    }

    /// Bit offset and type of a member, looking through anonymous structures and unions.
    fn member(&self, of: &Type, name: &str) -> Option<(u32, Type)> {
        let (Type::Struct(s) | Type::Union(s)) = of else { return None };
        s.members.iter().find_map(|m| {
            let inner = self.strip(self.0.resolve_chained_type(m).ok()?)?;
            if self.is_named(m, name) {
                return Some((m.bit_offset(), inner));
            }
            let anonymous = m.get_name_offset().is_none_or(|o| o == 0);
            let (bits, found) = anonymous.then(|| self.member(&inner, name)).flatten()?;
            Some((m.bit_offset() + bits, found))
        })
    }

    /// The type behind qualifiers and typedefs.
    fn strip(&self, mut t: Type) -> Option<Type> {
        while let Type::Typedef(_) | Type::Const(_) | Type::Volatile(_) | Type::Restrict(_) | Type::TypeTag(_) = &t {
            t = self.0.resolve_chained_type(t.as_btf_type()?).ok()?;
        }
        Some(t)
    }

    fn named(&self, name: &str, wanted: impl Fn(&Type) -> bool) -> Option<Type> {
        self.0.resolve_types_by_name(name).ok()?.into_iter().find(wanted)
    }

    fn is_named(&self, t: &dyn BtfType, name: &str) -> bool {
        self.0.resolve_name(t).is_ok_and(|n| n == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_without_btf_is_told_what_is_missing() {
        let error = Kernel::read(Path::new("/nonexistent")).err().unwrap().to_string();
        assert!(
            error.contains("/nonexistent/sys/kernel/btf/vmlinux") && error.contains("CONFIG_DEBUG_INFO_BTF"),
            "{error}"
        );
    }

    #[test]
    fn fields_and_tracepoints_of_this_kernel_are_found() {
        let Ok(kernel) = Kernel::read(Path::new("/")) else {
            eprintln!("skipped: this kernel has no BTF");
            return;
        };
        assert_eq!(kernel.tracepoint_args("sched_switch"), Some(4));
        assert_eq!(kernel.tracepoint_args("no_such_tracepoint"), None);
        let pid = kernel.offset("task_struct", &["pid"]).unwrap();
        assert_eq!(kernel.offset("task_struct", &["tgid"]).unwrap(), pid + 4);
        kernel.offset("task_struct", &["thread_info", "cpu"]).unwrap();
        // `irqaction.next` lies behind an aligned union-free head; `kernfs_node.id` is a plain field since 5.10.
        kernel.offset("kernfs_node", &["id"]).unwrap();
        let missing = kernel.offset("task_struct", &["no_such_field"]).unwrap_err().to_string();
        assert!(missing.contains("task_struct.no_such_field"), "{missing}");
    }
}
