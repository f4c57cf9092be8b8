// RUN: tegula-opt %s -split-input-file -verify-diagnostics=only-expected

// expected-error @+1 {{[tile.schedule.c1]}}
tile.kernel @k() attributes {schedule = #tile.schedule<waves = [4, 8]>} {
  tile.return
}

// -----

// expected-error @+1 {{[tile.schedule.c1]}}
tile.kernel @k() attributes {schedule = #tile.schedule<waves = [2]>} {
  tile.return
}

// -----

// expected-error @+1 {{[tile.schedule.c2]}}
tile.kernel @k() attributes {schedule = #tile.schedule<mma = "16x16">} {
  tile.return
}

// -----

// expected-error @+1 {{[tile.schedule.c3]}}
tile.kernel @k() attributes {schedule = #tile.schedule<stages = 6>} {
  tile.return
}

// -----

// expected-error @+1 {{[tile.schedule.c4]}}
tile.kernel @k() attributes {schedule = #tile.schedule<lds = sideways>} {
  tile.return
}

// -----

// expected-error @+1 {{[tile.schedule.c5]}}
tile.kernel @k() attributes {schedule = #tile.schedule<raster = {group = 0}>} {
  tile.return
}

// -----

// expected-error @+1 {{[tile.schedule.c5]}}
tile.kernel @k() attributes {schedule = #tile.schedule<raster = {die = 0}>} {
  tile.return
}

// -----

// expected-error @+1 {{[tile.schedule.c6]}}
tile.kernel @k() attributes {schedule = #tile.schedule<split_k = 0>} {
  tile.return
}

// -----

// expected-error @+1 {{split_k = 2 with persistent = true; split_k = 1 or persistent = false is legal [tile.schedule.c6]}}
tile.kernel @k() attributes {schedule = #tile.schedule<split_k = 2, persistent = true>} {
  tile.return
}

// -----

// expected-error @+1 {{[tile.schedule.c8]}}
tile.kernel @k() attributes {schedule = #tile.schedule<occupancy = 0>} {
  tile.return
}
