; pass: participation
; A thread whose index is out of bounds ends.
; unchanged
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @panic() noreturn
define ptx_kernel void @f(ptr %x, i32 %n) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp ult i32 %t, %n
  br i1 %in, label %go, label %fail
fail:
  call void @panic()
  unreachable
go:
  %present = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)
  store i32 %present, ptr %x
  %here = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 true)
  store i32 %here, ptr %x
  ret void
}
attributes #0 = { "nvvm.reqntid"="256,1,1" }
