from tegula.frontend.definition import define
class Kernel:
    def __init__(s,f): s.function=f
def kernel(grid):
    return Kernel
