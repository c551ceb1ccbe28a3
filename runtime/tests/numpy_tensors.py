"""Tensors between NumPy and the library whose path is the first argument (examples/dlpack_numpy.rs)."""

import ctypes
import gc
import math
import sys
import weakref

import numpy as np

ours = ctypes.CDLL(sys.argv[1])
for name in ("give", "give_versioned"):
    getattr(ours, name).restype = ctypes.c_void_p
for name in ("take", "take_versioned"):
    getattr(ours, name).restype = ctypes.c_double
    getattr(ours, name).argtypes = [ctypes.c_void_p]

# PyCapsule keeps the address of the name: these objects stay.
NAMES = {name: ctypes.c_char_p(name.encode()) for name in ("dltensor", "dltensor_versioned", "used_dltensor", "used_dltensor_versioned")}
api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Producer:
    """An array of the library."""

    def __init__(self, versioned):
        self.versioned = versioned

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **_):
        if self.versioned:
            return api.PyCapsule_New(ours.give_versioned(), NAMES["dltensor_versioned"], None)
        return api.PyCapsule_New(ours.give(), NAMES["dltensor"], None)


class Array(np.ndarray):
    """An array that can be watched."""


def out_to_numpy(versioned):
    before = ours.ended()
    array = np.from_dlpack(Producer(versioned))
    assert array.shape == (2, 3) and array.dtype == np.float32, (array.shape, array.dtype)
    assert array.tolist() == [[0.5, 1.5, 2.5], [3.5, 4.5, 5.5]], array
    assert ours.ended() == before, "ended while it is used"
    view = array[1]
    del array
    gc.collect()
    assert view.tolist() == [3.5, 4.5, 5.5], view
    assert ours.ended() == before, "ended while a view is used"
    del view
    gc.collect()
    assert ours.ended() == before + 1, "not ended once"


def capsule_of(array, versioned):
    """A capsule of the array, taken as the specification says: the pointer, and another name."""
    capsule = array.__dlpack__(max_version=(1, 0)) if versioned else array.__dlpack__()
    name = "dltensor_versioned" if versioned else "dltensor"
    assert api.PyCapsule_IsValid(capsule, NAMES[name]), name
    pointer = api.PyCapsule_GetPointer(capsule, NAMES[name])
    api.PyCapsule_SetName(capsule, NAMES["used_" + name])
    return pointer


def in_from_numpy(versioned):
    take = ours.take_versioned if versioned else ours.take
    array = np.arange(6, dtype=np.float64).reshape(2, 3).view(Array)
    assert take(capsule_of(array, versioned)) == 30.0
    assert array.tolist() == [[0, 2, 4], [6, 8, 10]], "in place"
    gone = weakref.ref(array)
    del array
    gc.collect()
    assert gone() is None, "the array is held for ever"


def refused(versioned, array):
    take = ours.take_versioned if versioned else ours.take
    array = array.view(Array)
    assert math.isnan(take(capsule_of(array, versioned)))
    gone = weakref.ref(array)
    del array
    gc.collect()
    assert gone() is None, "a refused array is held for ever"


for versioned in (False, True):
    out_to_numpy(versioned)
    in_from_numpy(versioned)
    refused(versioned, np.zeros((4, 4))[:, 1:3])  # rows with gaps
    refused(versioned, np.zeros((2, 3)).T)  # columns first
    refused(versioned, np.zeros(6, dtype=np.float32))  # other elements
locked = np.zeros(6).view(Array)
locked.flags.writeable = False
refused(True, locked)
print("all tensors went through, NumPy", np.__version__)
