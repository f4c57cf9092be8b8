// Gaussian elimination over GF(2) on bit masks, and what follows from it.
#include "tegula/Layout/BitMatrix.h"

using namespace tegula;

BitMatrix BitMatrix::identity(unsigned bits) {
  BitMatrix m;
  m.rows = bits;
  for (unsigned i = 0; i < bits; ++i)
    m.columns.push_back(uint64_t(1) << i);
  return m;
}

uint64_t BitMatrix::apply(uint64_t input) const {
  uint64_t result = 0;
  for (unsigned i = 0; i < inputs(); ++i)
    if (input >> i & 1)
      result ^= columns[i];
  return result;
}

unsigned tegula::rank(const std::vector<uint64_t> &columns) {
  std::vector<uint64_t> basis; // kept reduced: no vector has another one's leading bit
  for (uint64_t v : columns) {
    for (uint64_t b : basis)
      if ((v ^ b) < v)
        v ^= b;
    if (v)
      basis.push_back(v);
  }
  return static_cast<unsigned>(basis.size());
}

BitMatrix tegula::compose(const BitMatrix &a, const BitMatrix &b) {
  BitMatrix m;
  m.rows = a.rows;
  for (uint64_t column : b.columns)
    m.columns.push_back(a.apply(column));
  return m;
}

std::optional<BitMatrix> tegula::pseudoInvert(const BitMatrix &m) {
  // Invariant: image[i] is the output of the input combination source[i].
  std::vector<uint64_t> image, source;
  for (unsigned i = 0; i < m.inputs(); ++i)
    if (m.columns[i]) {
      image.push_back(m.columns[i]);
      source.push_back(uint64_t(1) << i);
    }
  if (image.size() != m.rows)
    return std::nullopt;
  for (unsigned row = 0; row < m.rows; ++row) {
    unsigned pivot = row;
    while (pivot < m.rows && !(image[pivot] >> row & 1))
      ++pivot;
    if (pivot == m.rows)
      return std::nullopt;
    std::swap(image[row], image[pivot]);
    std::swap(source[row], source[pivot]);
    for (unsigned other = 0; other < m.rows; ++other)
      if (other != row && (image[other] >> row & 1)) {
        image[other] ^= image[row];
        source[other] ^= source[row];
      }
  }
  BitMatrix inverse;
  inverse.columns = std::move(source);
  inverse.rows = m.inputs();
  return inverse;
}

std::optional<BitMatrix> tegula::invert(const BitMatrix &m) {
  if (m.inputs() != m.rows)
    return std::nullopt;
  return pseudoInvert(m);
}

std::vector<uint64_t> tegula::kernelOfMasks(const std::vector<uint8_t> &masks, unsigned inputBits) {
  // Extend the kernel bit by bit: a vector that breaks a mask's parity is paired with the first one
  // that did.
  std::vector<uint64_t> kernel;
  for (unsigned bit = 0; bit < inputBits; ++bit)
    kernel.push_back(uint64_t(1) << bit);
  for (uint8_t mask : masks) {
    std::vector<uint64_t> kept;
    uint64_t odd = 0;
    for (uint64_t v : kernel) {
      bool breaks = __builtin_parityll(v & mask);
      if (!breaks)
        kept.push_back(v);
      else if (!odd)
        odd = v;
      else
        kept.push_back(v ^ odd);
    }
    kernel = std::move(kept);
  }
  return kernel;
}
