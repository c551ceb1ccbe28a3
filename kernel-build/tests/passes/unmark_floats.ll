; pass: unmark-floats
; Threads need not meet at arithmetic of floats; they do at a shuffle, at a vote, at a barrier and in a function that is not LLVM's. Integers keep the mark.
; ir: call float @llvm.nvvm.fma.rn.f(float %x, float %x, float %x)
; ir-next: call float asm "ex2.approx.ftz.f32 $0, $1;", "=f,f"(float %a)
; ir-next: call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %b, i32 1, i32 31) #
; ir-next: call float asm sideeffect "bar.sync 0; add.f32 $0, $1, $1;", "=f,f"(float %c) #
; ir-next: call float @other(float %d) #
; ir-next: call i32 asm "activemask.b32 $0;", "=r"() #
; ir-next: call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #
; ir-count: 5 ) #
define float @f(float %x) {
  %a = call float @llvm.nvvm.fma.rn.f(float %x, float %x, float %x) convergent
  %b = call float asm "ex2.approx.ftz.f32 $0, $1;", "=f,f"(float %a) convergent
  %c = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %b, i32 1, i32 31) convergent
  %d = call float asm sideeffect "bar.sync 0; add.f32 $0, $1, $1;", "=f,f"(float %c) convergent
  %e = call float @other(float %d) convergent
  %f = call i32 asm "activemask.b32 $0;", "=r"() convergent
  %g = call i32 @llvm.nvvm.read.ptx.sreg.tid.x() convergent
  ret float %e
}
declare float @llvm.nvvm.fma.rn.f(float, float, float)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @other(float)
