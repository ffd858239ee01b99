// A list that is nearly always short: the first items are stored inline; a longer list is stored on the heap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

namespace dsl {

/// As a vector, but that up to `kFew` items take no memory elsewhere. Items move when it grows, and when it moves.
template <class T, uint32_t kFew> class ShortList {
  static_assert(std::is_trivially_copyable_v<T> && kFew > 0);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  ShortList() noexcept {}
  ShortList(std::initializer_list<T> items) { assign(items.begin(), items.size()); }
  ShortList(const T* first, const T* last) { assign(first, static_cast<size_t>(last - first)); }
  ShortList(const ShortList& o) { take_copy(o); }
  ShortList(ShortList&& o) noexcept { take(o); }
  ShortList& operator=(const ShortList& o) {
    if (this == &o) return *this;
    if (!many_ && !o.many_) take_copy(o);
    else assign(o.data(), o.size_);
    return *this;
  }
  ShortList& operator=(ShortList&& o) noexcept {
    if (this == &o) return *this;
    release();
    take(o);
    return *this;
  }
  ~ShortList() { release(); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return many_ ? many_ : few_; }
  const T* data() const { return many_ ? many_ : few_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void clear() { size_ = 0; }
  void push_back(T item) {
    reserve(size_ + size_t{1});
    data()[size_++] = item;
  }
  void pop_back() { --size_; }
  void resize(size_t count, T item = {}) {
    reserve(count);
    for (size_t i = size_; i < count; ++i) data()[i] = item;
    size_ = static_cast<uint32_t>(count);
  }
  /// REQUIRES: the items are not its own.
  void append(const T* first, size_t count) {
    reserve(size_ + count);
    std::copy_n(first, count, end());
    size_ += static_cast<uint32_t>(count);
  }
  /// Takes out the items from `first` to its end.
  void cut(const T* first) { size_ = static_cast<uint32_t>(first - data()); }
  void erase(T* item) {
    std::copy(item + 1, end(), item);
    --size_;
  }

  friend bool operator==(const ShortList& a, const ShortList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  void assign(const T* first, size_t count) {
    clear();
    append(first, count);
  }
  void reserve(size_t count) {
    if (count <= capacity_) return;
    const size_t room = std::max<size_t>(count, size_t{2} * capacity_);
    T* grown = std::allocator<T>{}.allocate(room);
    std::uninitialized_copy_n(data(), size_, grown);
    release();
    many_ = grown;
    capacity_ = static_cast<uint32_t>(room);
  }
  void release() {
    if (many_) std::allocator<T>{}.deallocate(many_, capacity_);
  }
  // REQUIRES: it has nothing elsewhere. All items that it has room for: to copy them is cheaper than to count them.
  void take_copy(const ShortList& o) {
    if (o.many_) return append(o.many_, o.size_);
    size_ = o.size_;
    std::memcpy(static_cast<void*>(few_), static_cast<const void*>(o.few_), sizeof few_);
  }
  // Its previous contents are released.
  void take(ShortList& o) noexcept {
    std::memcpy(static_cast<void*>(few_), static_cast<const void*>(o.few_), sizeof few_);
    many_ = std::exchange(o.many_, nullptr);
    size_ = std::exchange(o.size_, 0);
    capacity_ = std::exchange(o.capacity_, kFew);
  }

  T* many_ = nullptr;  // null: they are few
  uint32_t size_ = 0, capacity_ = kFew;
  union {
    T few_[kFew];
  };
};

/// As of a vector.
template <class T, uint32_t kFew, class Holds> size_t erase_if(ShortList<T, kFew>& list, Holds holds) {
  const size_t before = list.size();
  list.cut(std::remove_if(list.begin(), list.end(), holds));
  return before - list.size();
}

}  // namespace dsl
