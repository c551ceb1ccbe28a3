; pass: participation
; All threads of the block come here: only a load depends on the thread.
; ir: done:
; ir-next: store i32 -1
; ir-next: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; ir-next: store i32 256
; ir-not: ballot
; ir-not: popc
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @f(ptr %x, i32 %n) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp ult i32 %t, %n
  br i1 %in, label %load, label %done
load:
  %v = load volatile i32, ptr %x
  br label %done
done:
  %present = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)
  store i32 %present, ptr %x
  %here = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 true)
  store i32 %here, ptr %x
  ret void
}
attributes #0 = { "nvvm.reqntid"="256,1,1" }
