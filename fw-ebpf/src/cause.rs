//! What wakes a thread, packed into one word so that it can be compared and stored at once.

/// The context a wake was issued from, and the interrupt behind it.
///
/// | bits  | meaning |
/// |-------|---------|
/// | 56-63 | context: 0 none, 1 hard IRQ, 2 softirq, 3 task, 4 preempted |
/// | 48-55 | softirq vector (softirq only) |
/// | 32-39 | what `id` is: 0 nothing, 1 device IRQ, 2 [`Vector`], 3 thread |
/// | 0-31  | IRQ number, vector or thread id |
#[derive(Clone, Copy, PartialEq, Eq, Default)]
#[repr(transparent)]
pub struct Cause(pub u64);

const HARD: u64 = 1 << 56;
const SOFT: u64 = 2 << 56;
const TASK: u64 = 3 << 56;
const PREEMPTED: u64 = 4 << 56;
const CONTEXT: u64 = 0xff << 56;
const DEVICE: u64 = 1 << 32;
const VECTOR: u64 = 2 << 32;
const THREAD: u64 = 3 << 32;
const SOURCE: u64 = 0xff << 32;
const ID: u64 = 0xffff_ffff;

/// Hard interrupts that have no IRQ number and no `irq_handler_entry` event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Vector {
    /// Local timer.
    Loc = 0,
    /// Function call from another CPU.
    Cal = 1,
    /// IRQ work.
    Iwi = 2,
}

/// A [`Cause`] taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Not known: nothing was seen to run.
    None,
    /// A device's hard IRQ.
    Irq(u32),
    /// An architecture vector.
    Vector(Vector),
    /// A softirq, and the hard IRQ that raised it.
    Softirq(u8, Option<Result<u32, Vector>>),
    /// A thread.
    Task(u32),
    /// No wake: the thread was preempted (or yielded) while runnable.
    Preempted,
}

impl Cause {
    /// Nothing.
    pub const NONE: Cause = Cause(0);

    /// No wake: the thread was preempted (or yielded) while runnable.
    pub const PREEMPTED: Cause = Cause(PREEMPTED);

    /// A device's hard IRQ.
    #[inline(always)]
    pub const fn irq(irq: u32) -> Cause {
        Cause(HARD | DEVICE | irq as u64)
    }

    /// An architecture vector.
    #[inline(always)]
    pub const fn vector(vector: Vector) -> Cause {
        Cause(HARD | VECTOR | vector as u64)
    }

    /// A thread.
    #[inline(always)]
    pub const fn task(tid: u32) -> Cause {
        Cause(TASK | THREAD | tid as u64)
    }

    /// Softirq `vec`, raised by `raiser`: the interrupt behind `raiser` is kept, a thread is not.
    #[inline(always)]
    pub const fn softirq(vec: u32, raiser: Cause) -> Cause {
        let source = if raiser.is_interrupt() { raiser.0 & (SOURCE | ID) } else { 0 };
        Cause(SOFT | ((vec as u64 & 0xff) << 48) | source)
    }

    /// True unless this is [`Cause::NONE`].
    #[inline(always)]
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// True for hard IRQs and softirqs.
    #[inline(always)]
    pub const fn is_interrupt(self) -> bool {
        self.0 & CONTEXT == HARD || self.0 & CONTEXT == SOFT
    }

    /// The device IRQ behind it, directly or through a softirq.
    #[inline(always)]
    pub const fn device_irq(self) -> Option<u32> {
        if self.0 & SOURCE == DEVICE { Some((self.0 & ID) as u32) } else { None }
    }

    /// Taken apart.
    pub const fn origin(self) -> Origin {
        let id = (self.0 & ID) as u32;
        let vector = match id {
            0 => Vector::Loc,
            1 => Vector::Cal,
            _ => Vector::Iwi,
        };
        match (self.0 & CONTEXT, self.0 & SOURCE) {
            (HARD, DEVICE) => Origin::Irq(id),
            (HARD, _) => Origin::Vector(vector),
            (SOFT, source) => {
                let raiser = match source {
                    DEVICE => Some(Ok(id)),
                    VECTOR => Some(Err(vector)),
                    _ => None,
                };
                Origin::Softirq((self.0 >> 48 & 0xff) as u8, raiser)
            }
            (TASK, _) => Origin::Task(id),
            (PREEMPTED, _) => Origin::Preempted,
            _ => Origin::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_keeps_what_was_put_in() {
        assert_eq!(Cause::NONE.origin(), Origin::None);
        assert_eq!(Cause::PREEMPTED.origin(), Origin::Preempted);
        assert_eq!(Cause::irq(36).origin(), Origin::Irq(36));
        assert_eq!(Cause::vector(Vector::Cal).origin(), Origin::Vector(Vector::Cal));
        assert_eq!(Cause::task(u32::MAX).origin(), Origin::Task(u32::MAX));
        assert_eq!(Cause::softirq(3, Cause::irq(39)).origin(), Origin::Softirq(3, Some(Ok(39))));
        assert_eq!(Cause::softirq(1, Cause::vector(Vector::Loc)).origin(), Origin::Softirq(1, Some(Err(Vector::Loc))));
        assert_eq!(Cause::softirq(3, Cause::task(7)).origin(), Origin::Softirq(3, None));
    }

    #[test]
    fn a_softirq_raised_in_a_softirq_keeps_the_interrupt_behind_both() {
        let net_rx = Cause::softirq(3, Cause::irq(39));
        assert_eq!(Cause::softirq(1, net_rx).device_irq(), Some(39));
        assert_eq!(Cause::task(39).device_irq(), None);
    }
}
