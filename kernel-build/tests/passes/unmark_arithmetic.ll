; pass: unmark-arithmetic
; Threads need not meet at arithmetic; they do at a vote, at a barrier and in a function that is not LLVM's.
; ir: call float @llvm.nvvm.fma.rn.f(float %x, float %x, float %x)
; ir-next: call float asm "ex2.approx.ftz.f32 $0, $1;", "=f,f"(float %a)
; ir-next: call i32 asm "activemask.b32 $0;", "=r"() #
; ir-next: (i32 %c) #0
; ir-next: call void @other() #0
define float @f(float %x) convergent {
  %a = call float @llvm.nvvm.fma.rn.f(float %x, float %x, float %x) convergent
  %b = call float asm "ex2.approx.ftz.f32 $0, $1;", "=f,f"(float %a) convergent
  %c = call i32 asm "activemask.b32 $0;", "=r"() convergent
  call void asm sideeffect "bar.sync 0; add.s32 $0, $0, 1;", "r"(i32 %c) convergent
  call void @other() convergent
  ret float %b
}
declare float @llvm.nvvm.fma.rn.f(float, float, float)
declare void @other() convergent
