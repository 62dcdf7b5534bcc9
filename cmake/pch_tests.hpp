// Precompiled for the test programs. Only a saving of time: the tsan preset builds without it, so a source that relies
// on it does not pass.
#pragma once

#include "pch_lib.hpp"
#include "short_checks.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>
