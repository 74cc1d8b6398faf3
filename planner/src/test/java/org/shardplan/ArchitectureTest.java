package org.shardplan;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Optional;
import java.util.function.BiPredicate;

/** Holds the main classes to {@link ArchitectureMap}. Rooms on the map may be missing; a room off the map fails. */
@AnalyzeClasses(packages = ArchitectureMap.ROOT, importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule everyPackageIsOnTheMap = classes().should(new ArchCondition<>("stand in a room of the map") {
        @Override
        public void check(JavaClass type, ConditionEvents events) {
            Optional<String> room = ArchitectureMap.roomOf(type.getPackageName());
            if (room.filter(ArchitectureMap::isKnown).isEmpty()) {
                events.add(SimpleConditionEvent.violated(
                        type, type.getName() + " stands in no room of the map. Maybe add the room to ArchitectureMap"));
            }
        }
    });

    @ArchTest
    static final ArchRule arrowsAreOnTheMap = classes()
            .should(haveDependenciesThat(
                    "follow the arrows of the map",
                    (from, to) -> ArchitectureMap.roomOf(to)
                            .map(room -> ArchitectureMap.sees(from, room))
                            .orElse(true)));

    @ArchTest
    static final ArchRule innerRoomsArePureJava = classes()
            .should(haveDependenciesThat("be pure Java in the inner rooms", (from, to) -> {
                return !ArchitectureMap.isPure(from)
                        || to.isEmpty() // primitives
                        || to.startsWith("java.")
                        || to.startsWith("org.jspecify.")
                        || to.startsWith(ArchitectureMap.ROOT + ".");
            }));

    @ArchTest
    static final ArchRule packagesHaveNoCircles =
            slices().matching(ArchitectureMap.ROOT + ".(**)").should().beFreeOfCycles();

    private ArchitectureTest() {}

    /** @param allowed the room that a class stands in, and the package of a class that it uses */
    private static ArchCondition<JavaClass> haveDependenciesThat(String text, BiPredicate<String, String> allowed) {
        return new ArchCondition<>(text) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                String room = ArchitectureMap.roomOf(type.getPackageName()).orElse("");
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    String target =
                            dependency.getTargetClass().getBaseComponentType().getPackageName();
                    if (!allowed.test(room, target)) {
                        events.add(SimpleConditionEvent.violated(dependency, dependency.getDescription()));
                    }
                }
            }
        };
    }
}
