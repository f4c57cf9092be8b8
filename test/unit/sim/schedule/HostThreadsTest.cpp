#include "Sim/Exec/HostThreads.h"
#include <atomic>
#include <gtest/gtest.h>
#include <new>
#include <unistd.h>

TEST(HostThreads, WhatOneThrowsComesWhenNoneRunsAnyMore) {
  tegula::sim::HostThreads threads;
  for (unsigned thrower : {0u, 2u, ~0u}) {
    std::atomic<unsigned> ended = 0;
    auto body = [&](unsigned t) {
      if (t == thrower)
        throw std::bad_alloc();
      usleep(20000);
      ++ended;
    };
    if (thrower == ~0u)
      threads.run(4, body);
    else
      EXPECT_THROW(threads.run(4, body), std::bad_alloc) << thrower;
    EXPECT_EQ(ended, thrower == ~0u ? 4u : 3u);
  }
}
