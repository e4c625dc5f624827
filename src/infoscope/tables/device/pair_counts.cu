// Counts of pairs of labels in one pass over them.
//
// Counted is unsigned (each pair counts once) or double (each pair counts its weight). Two cells follow the table: pairs
// with a label out of range, and pairs whose true label is the ignored one. `ends` holds the smallest and largest label
// out of range: of the truth (0, 1) and of the predictions (2, 3).

typedef unsigned long long Whole;

template <typename T, int N> struct alignas(N * sizeof(T)) Pack { T values[N]; };

template <typename Counted> struct Total;
template <> struct Total<unsigned> { typedef Whole type; };
template <> struct Total<double> { typedef double type; };

struct Span {
    long long low;       // the label of the first class
    unsigned classes;    // of both sides
    unsigned has_ignored;
    long long ignored;
};

__device__ void stretch(long long* ends, long long label) {
    // read first: an atomic operation for each of many strange labels would queue at one address
    if (label < ends[0]) atomicMin(ends, label);
    if (label > ends[1]) atomicMax(ends + 1, label);
}

__device__ __forceinline__ unsigned outside(long long truth, long long system, Whole row, Whole column, Span span,
                                         long long* ends) {
    if (row >= span.classes) stretch(ends, truth);
    if (column >= span.classes) stretch(ends + 2, system);
    return span.classes * span.classes;
}

template <typename T, typename S>
__device__ __forceinline__ unsigned cell_of(T truth, S system, Span span, long long* ends) {
    if (span.has_ignored && (long long)truth == span.ignored) return span.classes * span.classes + 1;
    // as unsigned numbers, labels below the first class are far above the last
    const Whole row = (Whole)(long long)truth - (Whole)span.low, column = (Whole)(long long)system - (Whole)span.low;
    if (row < span.classes && column < span.classes) return (unsigned)row * span.classes + (unsigned)column;
    return outside((long long)truth, (long long)system, row, column, span, ends);
}

__device__ __forceinline__ unsigned amount(const unsigned*, long long, bool) { return 1u; }
__device__ __forceinline__ double amount(const double* weights, long long at, bool is_pair) {
    return is_pair ? weights[at] : 1.0;  // what is left out is counted in rows
}

// Few classes: every block counts into its own copies of the table, in shared memory, and adds them to the result once.
template <typename T, typename S, int N, typename Counted>
__global__ void __launch_bounds__(1024, 2)
count_in_blocks(const T* truth, const S* system, const Counted* weights, long long size, long long low,
                unsigned classes, unsigned has_ignored, long long ignored, unsigned copies,
                typename Total<Counted>::type* table, long long* ends) {
    const Span span = {low, classes, has_ignored, ignored};
    extern __shared__ double storage[];
    Counted* local = (Counted*)storage;
    const unsigned pairs = classes * classes, cells = pairs + 2, stride = cells | 1;
    for (unsigned i = threadIdx.x; i < stride * copies; i += blockDim.x) local[i] = 0;
    __syncthreads();
    Counted* mine = local + stride * (threadIdx.x % copies);
    const long long packs = size / N, step = (long long)gridDim.x * blockDim.x;
    const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const Pack<T, N>* truths = (const Pack<T, N>*)truth;
    const Pack<S, N>* systems = (const Pack<S, N>*)system;
    for (long long i = first; i < packs; i += step) {
        const Pack<T, N> t = truths[i];
        const Pack<S, N> s = systems[i];
        #pragma unroll
        for (int k = 0; k < N; ++k) {
            const unsigned cell = cell_of(t.values[k], s.values[k], span, ends);
            atomicAdd(mine + cell, amount(weights, i * N + k, cell < pairs));
        }
    }
    for (long long i = packs * N + first; i < size; i += step) {
        const unsigned cell = cell_of(truth[i], system[i], span, ends);
        atomicAdd(mine + cell, amount(weights, i, cell < pairs));
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < cells; i += blockDim.x) {
        typename Total<Counted>::type sum = 0;
        for (unsigned c = 0; c < copies; ++c) sum += local[c * stride + i];
        if (sum != 0) atomicAdd(table + i, sum);
    }
}

template <typename Counted>
__device__ __forceinline__ void add_in_cache(unsigned cell, Counted amount, bool is_right, unsigned row, Span span,
                                             Counted* local, Counted* table) {
    const unsigned pairs = span.classes * span.classes;
    if (cell >= pairs) atomicAdd(local + span.classes + (cell - pairs), amount);
    else if (is_right) atomicAdd(local + row, amount);
    else atomicAdd(table + cell, amount);
}

// Many classes: right predictions, usually most of them, stay in the block, and so does what is left out; mistakes go to
// one table, which the cache of the device holds.
template <typename T, typename S, int N, typename Counted>
__global__ void __launch_bounds__(1024, 2)
count_in_cache(const T* truth, const S* system, const Counted* weights, long long size, long long low,
               unsigned classes, unsigned has_ignored, long long ignored, unsigned, Counted* table, long long* ends) {
    const Span span = {low, classes, has_ignored, ignored};
    extern __shared__ double storage[];
    Counted* local = (Counted*)storage;
    const unsigned pairs = classes * classes;
    for (unsigned i = threadIdx.x; i < classes + 2; i += blockDim.x) local[i] = 0;
    __syncthreads();
    const long long packs = size / N, step = (long long)gridDim.x * blockDim.x;
    const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const Pack<T, N>* truths = (const Pack<T, N>*)truth;
    const Pack<S, N>* systems = (const Pack<S, N>*)system;
    for (long long i = first; i < packs; i += step) {
        const Pack<T, N> t = truths[i];
        const Pack<S, N> s = systems[i];
        #pragma unroll
        for (int k = 0; k < N; ++k) {
            const unsigned cell = cell_of(t.values[k], s.values[k], span, ends);
            add_in_cache(cell, amount(weights, i * N + k, cell < pairs), t.values[k] == s.values[k],
                         (unsigned)((long long)t.values[k] - span.low), span, local, table);
        }
    }
    for (long long i = packs * N + first; i < size; i += step) {
        const unsigned cell = cell_of(truth[i], system[i], span, ends);
        add_in_cache(cell, amount(weights, i, cell < pairs), truth[i] == system[i],
                     (unsigned)((long long)truth[i] - span.low), span, local, table);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < classes + 2; i += blockDim.x) {
        const unsigned cell = i < classes ? i * classes + i : pairs + (i - classes);
        if (local[i] != 0) atomicAdd(table + cell, local[i]);
    }
}
