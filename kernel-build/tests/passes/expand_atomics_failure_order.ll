; pass: expand-atomics
; The order of a failure counts as well: PTX has one for both.
define i16 @weaker_success(ptr %p, i16 %e, i16 %v) {
  %x = cmpxchg ptr %p, i16 %e, i16 %v monotonic acquire, align 2
  %r = extractvalue { i16, i1 } %x, 0
  ret i16 %r
}
define i16 @both(ptr %p, i16 %e, i16 %v) {
  %x = cmpxchg ptr %p, i16 %e, i16 %v release acquire, align 2
  %r = extractvalue { i16, i1 } %x, 0
  ret i16 %r
}
; ir-count: 1 atom.acquire.sys.cas.b16
; ir-count: 1 atom.acq_rel.sys.cas.b16
; ir-not: atom.relaxed
; ir-not: atom.release
