/*
 * Where PyTorch's interface of allocators differs between versions. MILLPOND_TORCH is the version that this is compiled for,
 * as major * 100 + minor; millpond.torch passes it.
 */
#pragma once

#ifndef MILLPOND_TORCH
#error "MILLPOND_TORCH is not defined: pass the version of PyTorch, such as -DMILLPOND_TORCH=211 for 2.11"
#endif
#if MILLPOND_TORCH < 209
#error "PyTorch is too old: 2.9 is the first version whose allocator interface is supported"
#endif

/* The allocator that a private pool may bring along. */
#if MILLPOND_TORCH >= 211
#define MILLPOND_POOL_ALLOCATOR std::shared_ptr<c10::cuda::CUDACachingAllocator::CUDAAllocator>
#else
#define MILLPOND_POOL_ALLOCATOR c10::cuda::CUDACachingAllocator::CUDAAllocator *
#endif
