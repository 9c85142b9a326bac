// ESPALIER_HOST_DEVICE: nvcc compiles the function for host and device; other compilers ignore it.
#pragma once

#ifdef __CUDACC__
#define ESPALIER_HOST_DEVICE __host__ __device__
#else
#define ESPALIER_HOST_DEVICE
#endif
