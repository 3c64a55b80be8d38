#include "cppgen/onnxruntime/partition.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace cppgen::ep {
namespace {

using Groups = std::vector<std::vector<size_t>>;

TEST(Partition, AllNodesOfASupportedGraphAreOneGroup) {
  EXPECT_EQ(convex_groups({{{}, true}, {{0}, true}, {{0}, true}, {{1, 2}, true}}), (Groups{{0, 1, 2, 3}}));
}

TEST(Partition, NodesWithoutAConnectionAreGroupsOfTheirOwn) {
  EXPECT_EQ(convex_groups({{{}, true}, {{}, true}, {{0}, true}}), (Groups{{0, 2}, {1}}));
}

TEST(Partition, AnUnsupportedNodeDividesWhatDependsOnItFromWhatItDependsOn) {
  // 0 -> 1 (unsupported) -> 3, and 0 -> 2 -> 3.
  EXPECT_EQ(convex_groups({{{}, true}, {{0}, false}, {{0}, true}, {{1, 2}, true}}), (Groups{{0, 2}, {3}}));
}

TEST(Partition, AGroupThatOnlyALaterOneReadsJoinsIt) {
  // 0 (unsupported) -> 1 -> 3, and 2 -> 3: 2 could run before 0, but then it would be alone.
  EXPECT_EQ(convex_groups({{{}, false}, {{0}, true}, {{}, true}, {{1, 2}, true}}), (Groups{{1, 2, 3}}));
}

TEST(Partition, AGroupThatAnUnsupportedNodeReadsStaysBeforeIt) {
  // 0 -> 1 (unsupported) -> 2, and 0 -> 2.
  EXPECT_EQ(convex_groups({{{}, true}, {{0}, false}, {{0, 1}, true}}), (Groups{{0}, {2}}));
}

std::vector<PartitionNode> random_graph(std::mt19937& random) {
  std::vector<PartitionNode> nodes(1 + random() % 24);
  for (size_t i = 0; i < nodes.size(); i++) {
    nodes[i].supported = random() % 4 != 0;
    for (size_t k = 0; i > 0 && k < random() % 4; k++) nodes[i].sources.push_back(random() % i);
  }
  return nodes;
}

// The node that each node becomes: that of its group, or its own.
std::vector<size_t> merged(const std::vector<PartitionNode>& nodes, const Groups& groups) {
  std::vector<size_t> owners(nodes.size());
  for (size_t i = 0; i < nodes.size(); i++) owners[i] = i;
  for (const auto& group : groups)
    for (const size_t i : group) owners[i] = group.front();
  return owners;
}

// Returns whether the merged nodes can be put into an order.
bool has_order(const std::vector<PartitionNode>& nodes, const std::vector<size_t>& owners) {
  std::set<size_t> left(owners.begin(), owners.end());
  for (bool progress = true; progress && !left.empty();) {
    progress = false;
    for (const size_t owner : std::set<size_t>(left)) {
      bool ready = true;
      for (size_t i = 0; i < nodes.size(); i++)
        for (const size_t source : nodes[i].sources)
          ready &= owners[i] != owner || owners[source] == owner || left.count(owners[source]) == 0;
      if (ready) left.erase(owner), progress = true;
    }
  }
  return left.empty();
}

TEST(Partition, RandomGraphsStayGraphsWithoutCycles) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; round++) {
    const auto nodes = random_graph(random);
    const Groups groups = convex_groups(nodes);
    std::set<size_t> seen;
    for (const auto& group : groups)
      for (const size_t i : group) {
        EXPECT_TRUE(nodes[i].supported);
        EXPECT_TRUE(seen.insert(i).second);
      }
    for (size_t i = 0; i < nodes.size(); i++) EXPECT_EQ(seen.count(i) > 0, nodes[i].supported);
    ASSERT_TRUE(has_order(nodes, merged(nodes, groups))) << "round " << round;
  }
}

}  // namespace
}  // namespace cppgen::ep
