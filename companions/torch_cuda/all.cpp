/*
 * The whole library in one piece, so that PyTorch's headers are read once:
 *
 *     c++ -std=c++17 -O2 -fPIC -shared -DMILLPOND_TORCH=211 -I<headers> all.cpp -L<torch>/lib -lc10 -lc10_cuda -ltorch_cuda
 *
 * millpond.torch compiles it for the PyTorch that is installed.
 */
#include "allocator.cpp"
#include "history.cpp"
#include "pools.cpp"
#include "sharing.cpp"
#include "snapshot.cpp"

#include "install.cpp"
