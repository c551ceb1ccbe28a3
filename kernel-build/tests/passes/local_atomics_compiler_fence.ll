; pass: local-atomics
; A fence of the compiler has done its work; NVPTX cannot select it.
define void @fences() {
  fence syncscope("singlethread") seq_cst
  fence acquire
  ret void
}
; ir-not: singlethread
; ir: fence acquire
