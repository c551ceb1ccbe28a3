; pass: participation
; The condition is the same in all threads, and some of them do not ask.
; unchanged
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @f(ptr %x, i32 %n) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %t, 16
  br i1 %low, label %ask, label %go
ask:
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %in = icmp ult i32 %b, %n
  br i1 %in, label %go, label %out
go:
  %present = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)
  store i32 %present, ptr %x
  %here = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 true)
  store i32 %here, ptr %x
  br label %out
out:
  ret void
}
attributes #0 = { "nvvm.reqntid"="256,1,1" }
