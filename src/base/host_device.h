// ESPALIER_HOST_DEVICE: a function that nvcc compiles for the device, too; for any other compiler, an ordinary one.
#pragma once

#ifdef __CUDACC__
#define ESPALIER_HOST_DEVICE __host__ __device__
#else
#define ESPALIER_HOST_DEVICE
#endif
